/**
 * Outputs to a topic that we may not write to: the record fails, the consumer does not, and no transaction aborts for ever. A
 * node of Apache Kafka with an authorizer: everybody may do everything but what is forbidden to the one who logs in. (The
 * embedded broker has no permissions.)
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createProducer } from '../../src/create-producer.ts'
import { createAclsApi } from '../../src/protocol/generated/30-create-acls.ts'
import { type Kafka, KafkaUnavailable, saslUser, startKafka } from '../support/kafka.ts'
import { loudly, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { committedAtLeast } from './support/committed.ts'
import { mustBe, RawKafka } from './support/raw-kafka.ts'
import { run } from './support/runner.ts'

const properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
  'allow.everyone.if.no.acl.found': true,
}

/** Kafka's numbers. */
const acl = { topic: 2, group: 3, transactionalId: 5, literal: 3, deny: 2, write: 4, all: 2 }

async function start(): Promise<Kafka | null> {
  if (process.env.FANLANE_TARGET === 'embedded') return null
  try {
    return await startKafka({ properties })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`NOT RUN ON APACHE KAFKA: ${error.message}`)
    return null
  }
}

const kafka = await start()
if (kafka !== null) {
  const { username, password } = saslUser
  const client = { sasl: { mechanism: 'scram-sha-256', username, password } } as const

  describe('on Apache Kafka', { timeout: 240_000 }, () => {
    let raw: RawKafka
    before(async () => {
      raw = await RawKafka.connect(kafka.brokers)
    })
    after(async () => {
      await raw[Symbol.asyncDispose]()
      await kafka.stop()
    })

    async function forbid(
      name: string,
      what: 'write' | 'all',
      kind: 'topic' | 'group' | 'transactionalId' = 'topic',
    ): Promise<void> {
      const rule = { resourceType: acl[kind], resourceName: name, resourcePatternType: acl.literal }
      const who = { principal: `User:${username}`, host: '*', operation: acl[what], permissionType: acl.deny }
      const { results } = await raw.send(createAclsApi, 2, { creations: [{ ...rule, ...who }] })
      mustBe(results[0]?.errorCode, `CreateAcls ${results[0]?.errorMessage}`)
    }

    test('GROUP_AUTHORIZATION_FAILED · a group that we may not use ends the consumer, and says what to allow', async (t) => {
      const topic = unique('orders')
      const group = unique('group')
      await raw.createTopic(topic, 1)
      await forbid(group, 'all', 'group')
      const options = { brokers: kafka.saslBrokers, group, topics: [topic], client, handle: () => undefined }
      const { consumer } = await run(t, options)
      await assert.rejects(within('it ends', consumer.closed), {
        code: 'GROUP_AUTHORIZATION_FAILED',
        message: /Allow this user to read the group/,
      })
    })

    test('TRANSACTIONAL_ID_AUTHORIZATION_FAILED · a transactional id that we may not use', async () => {
      const transactionalId = unique('payments')
      await forbid(transactionalId, 'all', 'transactionalId')
      await assert.rejects(createProducer({ brokers: kafka.saslBrokers, transactionalId, client }), {
        code: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
        message: /Allow this user to write with the transactional id/,
      })
    })

    // 'all': not even looked up.
    for (const what of ['write', 'all'] as const) {
      for (const delivery of ['at-least-once', 'exactly-once'] as const) {
        test(`X2 R5 · ${delivery}, ${what} is forbidden: those who send there are dead letters, the others are written`, async (t) => {
          const topic = unique('orders')
          const open = unique('open')
          const closed = unique('closed')
          const dlq = `${topic}.dlq`
          const group = unique('group')
          for (const name of [topic, open, closed, dlq]) await raw.createTopic(name, 1)
          await raw.fill(topic, 0, 40)
          await forbid(closed, what)
          const { consumer } = await run(t, {
            brokers: kafka.saslBrokers,
            group,
            topics: [topic],
            delivery,
            client,
            retry: { attempts: 2, initialMs: 5, maxMs: 20 },
            handle: ({ key, value, offset }, ctx) =>
              ctx.send({ topic: offset % 4 === 0 ? closed : open, key, value: `${value}` }),
          })
          await within('idle', consumer.idle())
          const letters = await committedAtLeast(raw, dlq, 10)
          assert.deepEqual(
            letters.map(({ value }) => Number(value)).toSorted((a, b) => a - b),
            Array.from({ length: 10 }, (_, at) => at * 4),
          )
          assert.ok(letters.every(({ headers }) => headers.get('fanlane-error-code') === 'TOPIC_AUTHORIZATION_FAILED'))
          assert.equal((await committedAtLeast(raw, open, 30)).length, 30)
          await until('all is committed', async () => (await raw.position(group, topic, 0)) === 40)
          const { exhausted, transactionAborts } = consumer.snapshot().totals
          assert.equal(exhausted, 10)
          assert.ok(transactionAborts <= 10, `${transactionAborts} transactions aborted`)
        })
      }
    }
  })
}
