/** Ids for members that bring none. */
import { randomBytes } from 'node:crypto'

/** A random id as Kafka prints ids; never with a dash in front, which command lines would take for an option. */
export function newMemberId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url')
    if (!id.startsWith('-')) return id
  }
}
