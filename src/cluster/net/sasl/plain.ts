/** PLAIN (RFC 4616): who and the password in one message, readable for everybody on the way. Use it over TLS. */
import type { Mechanism } from './mechanism.ts'

export function plain(username: string, password: string): Mechanism {
  return {
    name: 'PLAIN',
    user: username,
    begin: () =>
      Promise.resolve({
        opening: Buffer.from(`\0${username}\0${password}`),
        reply: () => null,
        complaint: null,
        secrets: [password],
      }),
  }
}
