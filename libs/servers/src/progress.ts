/** Told one line at a time what takes a moment. */
export type Progress = (line: string) => void;
