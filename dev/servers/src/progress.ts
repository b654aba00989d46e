/** Called with one line before each step that takes a moment. */
export type Progress = (line: string) => void;
