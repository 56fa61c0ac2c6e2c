/** @platformatic/kafka logging in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Admin, Producer } from '@platformatic/kafka'
import { saslUser } from '../../support/kafka.ts'
import { loudly, type Target, unique } from '../../support/targets.ts'

export function platformaticSasl({ name, saslBrokers }: Target): void {
  if (saslBrokers.length === 0) return loudly(`@platformatic/kafka WITH SASL NOT RUN ON ${name}: no such listener`)
  const base = { clientId: unique('platformatic'), bootstrapBrokers: [...saslBrokers], retries: 0, timeout: 3000 }

  describe('SASL', () => {
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const) {
      test(`${mechanism}: the right password gets in, a wrong one and an unknown user do not`, async (t) => {
        const right = new Admin({ ...base, sasl: { mechanism, ...saslUser } })
        t.after(() => right.close())
        const topic = unique('topic')
        await right.createTopics({ topics: [topic], partitions: 1, replicas: 1 })
        const producer = new Producer({ ...base, retries: 20, retryDelay: 50, sasl: { mechanism, ...saslUser } })
        t.after(() => producer.close(true))
        const { offsets } = await producer.send({ messages: [{ topic, value: Buffer.from('1') }], acks: -1 })
        assert.equal(offsets?.[0]?.offset, 0n)
        for (const wrong of [{ password: 'wrong' }, { username: 'nobody' }]) {
          const refused = new Admin({ ...base, sasl: { mechanism, ...saslUser, ...wrong } })
          t.after(() => refused.close())
          await assert.rejects(refused.listTopics())
        }
      })
    }

    test('nobody gets in without a password', async (t) => {
      const refused = new Admin(base)
      t.after(() => refused.close())
      await assert.rejects(refused.listTopics())
    })
  })
}
