/** What a request says about itself beside its body. */
export interface RequestContext {
  /** Of the API; the same body can mean different things. */
  readonly version: number
  /** From the request header; null counts as empty, as in Kafka. */
  readonly clientId: string | null
  /** As Kafka prints it: `/127.0.0.1`. */
  readonly clientHost: string
}
