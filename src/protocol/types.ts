/**
 * Types that the generated messages share.
 */

/** A tagged field that this version of the schema does not know. It is kept, so that a message can be passed on unchanged. */
export interface UnknownTag {
  readonly tag: number
  readonly bytes: Buffer
}

/** Topic and directory ids as Kafka prints them: 16 bytes, base64 for URLs without padding. */
export type Uuid = string
export const zeroUuid: Uuid = 'AAAAAAAAAAAAAAAAAAAAAA'

/**
 * What a message may be written from: every field may be left out (it gets its default), and bytes may come in pieces,
 * which are handed to the socket as they are.
 */
export type Input<T> = T extends Buffer
  ? Buffer | readonly Buffer[]
  : T extends UnknownTag
    ? UnknownTag
    : T extends readonly (infer E)[]
      ? readonly Input<E>[]
      : T extends object
        ? { readonly [K in keyof T]?: Input<T[K]> | undefined }
        : T
