/** KafkaJS logging in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Kafka, logLevel, type SASLOptions } from 'kafkajs'
import { saslUser } from '../../support/kafka.ts'
import { loudly, type Target, unique } from '../../support/targets.ts'

export function kafkaJsSasl({ name, saslBrokers }: Target): void {
  if (saslBrokers.length === 0) return loudly(`KafkaJS WITH SASL NOT RUN ON ${name}: no such listener`)
  const admin = (sasl: SASLOptions | undefined) =>
    new Kafka({
      clientId: unique('kafkajs'),
      brokers: [...saslBrokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
      connectionTimeout: 2000,
      requestTimeout: 2000,
      ...(sasl === undefined ? {} : { sasl }),
    }).admin()

  describe('SASL', () => {
    for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
      test(`${mechanism}: the right password gets in, a wrong one and an unknown user do not`, async (t) => {
        const right = admin({ mechanism, ...saslUser })
        t.after(() => right.disconnect())
        await right.connect()
        assert.ok(Array.isArray(await right.listTopics()))
        for (const wrong of [{ password: 'wrong' }, { username: 'nobody' }]) {
          const refused = admin({ mechanism, ...saslUser, ...wrong })
          t.after(() => refused.disconnect())
          await assert.rejects(refused.connect(), { name: /SASLAuthenticationError/ })
        }
      })
    }

    test('nobody gets in without a password', async (t) => {
      const refused = admin(undefined)
      t.after(() => refused.disconnect())
      await assert.rejects(refused.connect().then(() => refused.listTopics()))
    })
  })
}
