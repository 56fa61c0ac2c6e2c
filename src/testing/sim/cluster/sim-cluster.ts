import type { RequestKind, RequestOf, ResponseOf } from './requests.ts'
/** Being written: the shape only. */
export interface SimClusterShape {
  request<K extends RequestKind>(nowMs: number, request: RequestOf<K>, respond: (response: ResponseOf<K>) => void): void
  tick(nowMs: number): void
  nextDeadline(): number
}
