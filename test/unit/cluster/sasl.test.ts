/** Logging in, against a server that can be made to do anything. */
import assert from 'node:assert/strict'
import { createHmac, pbkdf2Sync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { SaslOptions } from '../../../src/cluster/net/options.ts'
import { ScramTalk } from '../../../src/cluster/net/sasl/scram.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { saslHandshakeApi } from '../../../src/protocol/generated/17-sasl-handshake.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { until, within } from '../../support/wait.ts'
import { ManualClock } from './manual-clock.ts'
import type { Asked, Script } from './scripted-broker.ts'
import { clusterFor, scripted } from './support.ts'

const plain: SaslOptions = { mechanism: 'plain', username: 'alice', password: 'pencil-secret' }

const said = ({ body }: Asked): string => (body as { authBytes: Buffer }).authBytes.toString()

/** Takes the handshake, answers heartbeats, and leaves the login to `step`. */
function login(step: (asked: Asked, text: string) => void): Script {
  return (asked) => {
    if (asked.api.key === saslHandshakeApi.key) asked.reply(saslHandshakeApi, { mechanisms: ['PLAIN'] })
    else if (asked.api.key === saslAuthenticateApi.key) step(asked, said(asked))
    else if (asked.api.key === heartbeatApi.key) asked.reply(heartbeatApi, {})
    else return false
    return true
  }
}

describe('SCRAM', () => {
  test('the example of RFC 7677', async () => {
    const talk = new ScramTalk('sha256', 'user', 'pencil', 'rOprNGfwEbeRWgbNEkqO')
    assert.equal(talk.opening.toString(), 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO')
    const first = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'
    const proof = await talk.reply(Buffer.from(first))
    assert.equal(
      proof?.toString(),
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    )
    assert.equal(await talk.reply(Buffer.from('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')), null)
    await assert.rejects(talk.reply(Buffer.from('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')), {
      code: 'SASL_UNTRUSTED',
    })
  })

  test('names are escaped; passwords are taken as they are, as Kafka does', async () => {
    assert.equal(new ScramTalk('sha512', 'a=b,c', 'p', 'N').opening.toString(), 'n,,n=a=3Db=2Cc,r=N')
    const talk = new ScramTalk('sha256', 'u', '\ufb01', 'N')
    const proof = await talk.reply(Buffer.from('r=NM,s=AAAA,i=4096'))
    const salted = pbkdf2Sync(Buffer.from('\ufb01'), Buffer.from('AAAA', 'base64'), 4096, 32, 'sha256')
    const serverKey = createHmac('sha256', salted).update('Server Key').digest()
    const log = `n=u,r=N,r=NM,s=AAAA,i=4096,${proof?.toString().split(',p=')[0]}`
    const signature = createHmac('sha256', serverKey).update(log).digest('base64')
    assert.equal(await talk.reply(Buffer.from(`v=${signature}`)), null)
  })

  for (const [what, first] of [
    ['somebody else’s nonce', 'r=OTHER,s=AAAA,i=4096'],
    ['our nonce and nothing added', 'r=N,s=AAAA,i=4096'],
    ['too few iterations', 'r=NM,s=AAAA,i=4095'],
    ['iterations for a year', 'r=NM,s=AAAA,i=999999999'],
    ['an extension that must be understood', 'm=x,r=NM,s=AAAA,i=4096'],
    ['nothing', ''],
  ] as const) {
    test(`a broker that sends ${what} is not trusted`, async () => {
      const talk = new ScramTalk('sha256', 'u', 'p', 'N')
      await assert.rejects(talk.reply(Buffer.from(first)), { code: 'SASL_UNTRUSTED' })
    })
  }

  for (const [what, last] of [
    ['a wrong signature', `v=${Buffer.alloc(32).toString('base64')}`],
    ['a short signature', 'v=AAAA'],
    ['an error', 'e=other-error'],
    ['no signature', ''],
  ] as const) {
    test(`a broker that ends with ${what} is not trusted`, async () => {
      const talk = new ScramTalk('sha256', 'u', 'p', 'N')
      await talk.reply(Buffer.from('r=NM,s=AAAA,i=4096'))
      await assert.rejects(talk.reply(Buffer.from(last)), { code: 'SASL_UNTRUSTED' })
    })
  }
})

describe('logging in', () => {
  test('PLAIN: what is sent, before anything else', async (t) => {
    const broker = await scripted(
      t,
      login(({ reply }) => reply(saslAuthenticateApi, {})),
    )
    const { cluster } = clusterFor(t, [broker.address], { sasl: plain })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    assert.deepEqual(
      broker.asked.map(({ api, version }) => `${api.name} ${version}`),
      ['ApiVersions 4', 'SaslHandshake 1', 'SaslAuthenticate 2', 'Heartbeat 4'],
    )
    assert.equal(said(broker.of(saslAuthenticateApi)[0]!), '\0alice\0pencil-secret')
  })

  test('a refusal names broker, user, mechanism and reason, and no secret, even if the broker repeats it', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(
      t,
      login(({ reply }) =>
        reply(saslAuthenticateApi, {
          errorCode: errorCodes.SASL_AUTHENTICATION_FAILED,
          errorMessage: 'no user alice with pencil-secret',
        }),
      ),
    )
    const { cluster, states } = clusterFor(t, [broker.address], { sasl: plain, clock })
    const refused = {
      code: 'AUTHENTICATION_FAILED',
      message: `${broker.address} refused the login of 'alice' with PLAIN: no user alice with [redacted]. Look at the user name and the password, and at what the broker logs.`,
    }
    await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), refused)
    assert.equal(states.length, 1)
    // Others are told the same without another login, until one may be tried.
    cluster.learnNodes([{ nodeId: 1, host: '127.0.0.1', port: broker.port }], true)
    await assert.rejects(cluster.ask(1, heartbeatApi, {}), refused)
    assert.equal(broker.sockets.length, 1)
    await clock.advance(1_000)
    broker.script = login(({ reply }) => reply(saslAuthenticateApi, {}))
    assert.ok(await cluster.ask(1, heartbeatApi, {}))
  })

  for (const [errorCode, mechanisms, says] of [
    [errorCodes.UNSUPPORTED_SASL_MECHANISM, ['SCRAM-SHA-512'], /it offers SCRAM-SHA-512: set sasl.mechanism/],
    [errorCodes.ILLEGAL_SASL_STATE, [], /leave sasl out/],
  ] as const) {
    test(`a handshake that is refused with ${errorCode} says what to do`, async (t) => {
      const broker = await scripted(t, ({ api, reply }) => {
        if (api.key !== saslHandshakeApi.key) return false
        reply(saslHandshakeApi, { errorCode, mechanisms })
        return true
      })
      const { cluster } = clusterFor(t, [broker.address], { sasl: plain })
      await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), { code: 'AUTHENTICATION_FAILED', message: says })
    })
  }

  test('control characters and empty texts are refused before anything starts', () => {
    for (const wrong of [
      { username: 'a', password: 'b\0c' },
      { username: 'a\n', password: 'b' },
      { username: '', password: 'b' },
    ]) {
      assert.throws(
        () => clusterFor({ after: () => undefined } as never, ['a'], { sasl: { mechanism: 'plain', ...wrong } }),
        (error: Error & { code: string }) =>
          error.code === 'OPTION_INVALID' && !error.message.includes(`'${wrong.password}'`),
      )
    }
  })
})

describe('OAUTHBEARER', () => {
  const token = 'header.payload.signature'

  test('token and extensions are sent; a new token is asked for at every login', async (t) => {
    const broker = await scripted(
      t,
      login(({ reply }) => reply(saslAuthenticateApi, {})),
    )
    let tokens = 0
    const { cluster } = clusterFor(t, [broker.address], {
      sasl: {
        mechanism: 'oauthbearer',
        token: async () => ({ value: `t${++tokens}`, extensions: { traceId: '1 2' } }),
      },
    })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}, { lane: 'fetch' }))
    assert.deepEqual(broker.of(saslAuthenticateApi).map(said), [
      'n,,\x01auth=Bearer t1\x01traceId=1 2\x01\x01',
      'n,,\x01auth=Bearer t2\x01traceId=1 2\x01\x01',
    ])
  })

  test('the reason of a refusal is asked for and told; the token is not', async (t) => {
    const broker = await scripted(
      t,
      login(({ reply }, text) => {
        if (text === '\x01') {
          reply(saslAuthenticateApi, { errorCode: errorCodes.SASL_AUTHENTICATION_FAILED, errorMessage: `bad ${token}` })
        } else reply(saslAuthenticateApi, { authBytes: Buffer.from('{"status":"invalid_token"}') })
      }),
    )
    const sasl: SaslOptions = { mechanism: 'oauthbearer', token: () => Promise.resolve({ value: token }) }
    const { cluster } = clusterFor(t, [broker.address], { sasl })
    await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), {
      code: 'AUTHENTICATION_FAILED',
      message: /with OAUTHBEARER: bad \[redacted\] \{"status":"invalid_token"\}\. Look at the token/,
    })
  })

  test('no token for now is silence, and told; it is asked for again', async (t) => {
    const broker = await scripted(
      t,
      login(({ reply }) => reply(saslAuthenticateApi, {})),
    )
    let calls = 0
    const { cluster, states } = clusterFor(t, [broker.address], {
      sasl: {
        mechanism: 'oauthbearer',
        token: () => (++calls === 1 ? Promise.reject(new Error('503')) : Promise.resolve({ value: token })),
      },
    })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    assert.equal(calls, 2)
    const [told] = states
    assert.ok(told?.kind === 'unreachable')
    assert.equal(told.error.code, 'TOKEN_UNAVAILABLE')
  })

  for (const given of [
    { value: 'with space' },
    {},
    null,
    { value: 't', extensions: { 'no-dash': 'x' } },
    { value: 't', extensions: { auth: 'x' } },
    { value: 't', extensions: { a: '\x01' } },
  ]) {
    test(`${JSON.stringify(given)} is no token`, async (t) => {
      const broker = await scripted(
        t,
        login(() => undefined),
      )
      const { cluster } = clusterFor(t, [broker.address], {
        sasl: { mechanism: 'oauthbearer', token: () => Promise.resolve(given as { value: string }) },
      })
      await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), { code: 'TOKEN_INVALID' })
    })
  }

  test('a token that never comes does not hold anything up for ever', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(
      t,
      login(() => undefined),
    )
    const { cluster, states } = clusterFor(t, [broker.address], {
      clock,
      sasl: { mechanism: 'oauthbearer', token: () => new Promise(() => undefined) },
    })
    const answer = cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 60_000 })
    await until('connected', () => broker.asked.length === 1)
    await clock.settle()
    await clock.advance(30_000)
    assert.equal(states.length, 1)
    await cluster.close()
    assert.equal(await answer, null)
  })
})

describe('logging in again', () => {
  test('before the session ends: what was sent is answered first, what comes meanwhile waits, nothing is lost', async (t) => {
    const clock = new ManualClock()
    const held: Asked[] = []
    const broker = await scripted(t, (asked) => {
      if (asked.api.key === heartbeatApi.key && (asked.body as { memberId: string }).memberId === 'slow') {
        held.push(asked)
        return true
      }
      return login(({ reply }) => reply(saslAuthenticateApi, { sessionLifetimeMs: 10_000n }))(asked)
    })
    const { cluster } = clusterFor(t, [broker.address], { sasl: plain, clock })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    await clock.advance(8_000)
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    assert.equal(broker.of(saslAuthenticateApi).length, 1)
    const slow = cluster.ask(anyNode, heartbeatApi, { memberId: 'slow' })
    await until('it is sent', () => held.length === 1)
    await clock.advance(1_500)
    const after = [cluster.ask(anyNode, heartbeatApi, {}), cluster.ask(anyNode, heartbeatApi, {})]
    await clock.settle()
    assert.equal(broker.of(saslAuthenticateApi).length, 1)
    held[0]!.reply(heartbeatApi, {})
    assert.ok(await within('the slow one', slow))
    assert.equal((await within('those behind', Promise.all(after))).includes(null), false)
    assert.deepEqual(
      broker.asked.map(({ api }) => api.name),
      [
        'ApiVersions',
        'SaslHandshake',
        'SaslAuthenticate',
        'Heartbeat',
        'Heartbeat',
        'Heartbeat',
        'SaslHandshake',
        'SaslAuthenticate',
        'Heartbeat',
        'Heartbeat',
      ],
    )
    assert.equal(broker.sockets.length, 1)
  })

  test('refused: whoever waited is told, and the connection is over', async (t) => {
    const clock = new ManualClock()
    let logins = 0
    const broker = await scripted(
      t,
      login(({ reply }) =>
        reply(
          saslAuthenticateApi,
          ++logins === 1
            ? { sessionLifetimeMs: 10_000n }
            : { errorCode: errorCodes.SASL_AUTHENTICATION_FAILED, errorMessage: 'password changed' },
        ),
      ),
    )
    const { cluster } = clusterFor(t, [broker.address], { sasl: plain, clock })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, {}))
    await clock.advance(9_500)
    await assert.rejects(cluster.ask(anyNode, heartbeatApi, {}), { message: /password changed/ })
    await until('closed', () => broker.sockets[0]?.closed)
  })
})
