/**
 * Requests to the controller say how long they may take. Here nothing waits for other machines, so there is one case: no time
 * at all. Kafka answers that with a time-out, and does nothing.
 */
export function isTooLate({ timeoutMs }: { readonly timeoutMs: number }): boolean {
  return timeoutMs <= 0
}
