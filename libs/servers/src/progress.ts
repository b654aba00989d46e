/** Called with one line for each thing that takes a moment. */
export type Progress = (line: string) => void;
