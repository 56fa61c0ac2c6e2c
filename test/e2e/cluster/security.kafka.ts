/**
 * Logins and TLS with Apache Kafka at the other end: every mechanism, refusals, sessions that end (KIP-368), and the two
 * mix-ups of TLS and plain ports.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { OAuthToken, SaslOptions } from '../../../src/cluster/net/options.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { describeClusterApi } from '../../../src/protocol/generated/60-describe-cluster.ts'
import { type Kafka, KafkaUnavailable, saslUser, startKafka } from '../../support/kafka.ts'
import { loudly } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { clusterFor } from '../../unit/cluster/support.ts'

const folder = new URL('../../support/tls/', import.meta.url)
const cert = readFileSync(new URL('cert.pem', folder), 'utf8')
const key = readFileSync(new URL('key.pem', folder), 'utf8')

const sessionMs = 2_500
const listener = 'listener.name.sasl'
const oauth = 'org.apache.kafka.common.security.oauthbearer'
const properties = {
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SASL:SASL_SSL,CONTROLLER:PLAINTEXT',
  [`${listener}.ssl.keystore.type`]: 'PEM',
  [`${listener}.ssl.keystore.certificate.chain`]: cert,
  [`${listener}.ssl.keystore.key`]: key,
  [`${listener}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
  [`${listener}.oauthbearer.sasl.jaas.config`]: `${oauth}.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
  [`${listener}.oauthbearer.sasl.server.callback.handler.class`]: `${oauth}.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler`,
  'connections.max.reauth.ms': sessionMs,
}

const topics = { topics: [] }
const passwords = ['plain', 'scram-sha-256', 'scram-sha-512'] as const

/** A token that nobody signed: what the broker was told to accept. */
function unsecured(lifetimeS: number): OAuthToken {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const nowS = Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000)
  return { value: `${part({ alg: 'none' })}.${part({ sub: 'bearer', iat: nowS, exp: nowS + lifetimeS })}.` }
}

async function started(): Promise<Kafka | null> {
  if (process.env.FANLANE_TARGET === 'embedded') return null
  try {
    return await startKafka({ properties })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`NOT RUN ON APACHE KAFKA: ${error.message}`)
    return null
  }
}

const kafka = await started()
if (kafka !== null) {
  const secure = kafka.saslBrokers
  const tls = { ca: [cert], servername: 'localhost' }

  describe('logins at Apache Kafka over TLS', { timeout: 120_000 }, () => {
    after(() => kafka.stop())

    for (const mechanism of passwords) {
      test(`${mechanism}: in, and again before the session ends; questions that are under way are not lost`, async (t) => {
        const { cluster, states } = clusterFor(t, secure, { tls, sasl: { mechanism, ...saslUser } })
        const end = performance.now() + 2.5 * sessionMs
        let answers = 0
        while (performance.now() < end) {
          const asks = Array.from({ length: 20 }, () => cluster.ask(anyNode, metadataApi, topics))
          for (const answer of await Promise.all(asks)) {
            assert.ok(answer)
            answers++
          }
        }
        assert.ok(answers > 100)
        assert.deepEqual(
          states.map(({ kind }) => kind),
          ['connected'],
        )
      })

      test(`${mechanism}: a wrong password is told with what the broker said`, async (t) => {
        const sasl: SaslOptions = { mechanism, username: saslUser.username, password: 'not-the-password' }
        const { cluster } = clusterFor(t, secure, { tls, sasl })
        await assert.rejects(cluster.ask(anyNode, metadataApi, topics), {
          code: 'AUTHENTICATION_FAILED',
          message: new RegExp(`'tester' with ${mechanism.toUpperCase()}: Authentication failed.*Look at`),
        })
      })
    }

    test('an idle connection whose session is over logs in late, and is kept', async (t) => {
      const { cluster } = clusterFor(t, secure, { tls, sasl: { mechanism: 'plain', ...saslUser } })
      assert.ok(await cluster.ask(anyNode, metadataApi, topics))
      const end = performance.now() + 1.2 * sessionMs
      await until('the session is over', () => performance.now() > end)
      assert.ok(await cluster.ask(anyNode, metadataApi, topics))
    })

    test('oauthbearer: a token, a new one at every login, and one that has expired', async (t) => {
      let tokens = 0
      const { cluster } = clusterFor(t, secure, {
        tls,
        sasl: {
          mechanism: 'oauthbearer',
          token: () => {
            tokens++
            return Promise.resolve(unsecured(3_600))
          },
        },
      })
      await until('the second login', async () => {
        assert.ok(await cluster.ask(anyNode, describeClusterApi, {}))
        return tokens === 2
      })
      const late = clusterFor(t, secure, {
        tls,
        sasl: { mechanism: 'oauthbearer', token: () => Promise.resolve(unsecured(-3_600)) },
      }).cluster
      await assert.rejects(late.ask(anyNode, metadataApi, topics), {
        code: 'AUTHENTICATION_FAILED',
        message: /OAUTHBEARER: .*invalid_token.*Look at the token/,
      })
    })

    test('without the authority of the certificate there is no connection', async (t) => {
      const { cluster } = clusterFor(t, secure, { tls: true, sasl: { mechanism: 'plain', ...saslUser } })
      await assert.rejects(cluster.ask(anyNode, metadataApi, topics), { code: 'TLS_FAILED', message: /self-signed/ })
    })

    test('plain words to the TLS port, and TLS to the plain port', async (t) => {
      for (const [brokers, options] of [
        [secure, {}],
        [kafka.brokers, { tls: true }],
      ] as const) {
        const { cluster, states } = clusterFor(t, brokers, options)
        const answer = cluster.ask(anyNode, metadataApi, topics).catch((error: Error) => error.message)
        const told = await until('it is told', () => states[0])
        assert.ok(told.kind === 'unreachable')
        assert.match(told.error.message, /speaks? TLS/)
        await cluster.close()
        await answer
      }
    })

    test('a login where none is asked for, on the plain port', async (t) => {
      const { cluster } = clusterFor(t, kafka.brokers, { sasl: { mechanism: 'plain', ...saslUser } })
      await assert.rejects(cluster.ask(anyNode, metadataApi, topics), {
        code: 'AUTHENTICATION_FAILED',
        message: /leave sasl out/,
      })
    })
  })
}
