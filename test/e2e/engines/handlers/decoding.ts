/** The same, with a codec that no option could describe. */
export const decode: unknown = {
  value: { decode: (bytes: Buffer) => (bytes[0] === 0x7b ? `own ${bytes.length}` : 'own') },
}

export { default } from './decoded.ts'
