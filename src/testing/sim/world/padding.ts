/** Records of a workload are as large as they were drawn: spaces at the end, which are no part of the value. */
export function padded(value: string, length: number): string {
  return value.padEnd(length)
}

/** What was meant. Names of records and of outputs are made of this. */
export function unpadded(value: string): string {
  return value.trimEnd()
}
