/**
 * Kafka's own Java clients, through small programs that assert by themselves (test/clients/java). They send the newest
 * version of every request, which no Node client does yet.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mustRunJava, whyNoJava } from '../support/java.ts'
import { loudly, type Target, unique } from '../support/targets.ts'

const missing = await whyNoJava()

export function javaClients({ brokers, name }: Target): void {
  if (missing !== undefined) return loudly(`Java clients NOT RUN ON ${name}: ${missing}`)
  const run = async (program: string, ...more: string[]): Promise<void> => {
    const output = await mustRunJava(program, [brokers.join(','), unique(program.toLowerCase()), ...more])
    assert.match(output, /ok\n$/)
  }

  describe('Java clients', () => {
    for (const protocol of ['classic', 'consumer']) {
      // A broker that answers one field of a join or heartbeat wrongly lets two members own one partition, or none.
      test(`G2 G3 G4 · ${protocol} group: sharing, leaving, static members, more partitions, patterns`, () =>
        run('Groups', protocol))
      // A commit that is torn apart shows as output without its offset, or the reverse.
      test(`X2 X3 X6 · transactions with offsets of a ${protocol} group, fencing, time-out`, () =>
        run('Transactions', protocol))
    }
    for (const assignor of ['RangeAssignor', 'CooperativeStickyAssignor']) {
      // An owner too many or too few while members of both protocols are there shows as a record that nobody reads.
      test(`G3 · a group moves from the classic to the consumer protocol and back (${assignor})`, () =>
        run('Migration', assignor))
    }
    // Five requests are in flight: a broker that handles them out of order, or stores one twice, breaks the sequence.
    test('X1 · idempotent producing with every codec, five requests in flight', () => run('Idempotence'))
    // Operators' scripts read the exact error and the exact source of a value.
    test('Q8 · the admin client: topics, configs, offsets, groups, deletions', () => run('AdminWalk'))
  })
}
