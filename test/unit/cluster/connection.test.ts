/** One connection: order, time-outs, and answers that make no sense. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyNode } from '../../../src/cluster/wire.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { saslAuthenticateApi } from '../../../src/protocol/generated/36-sasl-authenticate.ts'
import { until, within } from '../../support/wait.ts'
import { ManualClock } from './manual-clock.ts'
import { type Asked, allVersions } from './scripted-broker.ts'
import { clusterFor, scripted } from './support.ts'

const isHello = ({ api }: Asked): boolean => api.key === apiVersionsApi.key

/** Whose heartbeat it was, told apart by the member. */
const memberOf = ({ body }: Asked): string => (body as { memberId: string }).memberId

const beat = (memberId: string): { memberId: string } => ({ memberId })

describe('a connection', () => {
  test('requests are written in the order of the calls, also those that waited for the connection', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.reply(heartbeatApi, { errorCode: Number(memberOf(asked)) })
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    const numbers = Array.from({ length: 50 }, (_, i) => i)
    const first = numbers.map((i) => cluster.ask(anyNode, heartbeatApi, beat(String(i))))
    await first[0]
    const second = numbers.map((i) => cluster.ask(anyNode, heartbeatApi, beat(String(50 + i))))
    const answers = await Promise.all([...first, ...second])
    assert.deepEqual(
      answers.map((answer) => answer?.body.errorCode),
      Array.from({ length: 100 }, (_, i) => i),
    )
    assert.deepEqual(
      broker.of(heartbeatApi).map(memberOf),
      Array.from({ length: 100 }, (_, i) => String(i)),
    )
    assert.equal(broker.sockets.length, 1)
  })

  test('lanes have connections of their own: a long poll holds nobody up', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (isHello(asked) || memberOf(asked) === 'slow') return false
      asked.reply(heartbeatApi, {})
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    cluster.learnNodes([{ nodeId: 1, host: '127.0.0.1', port: broker.port }], true)
    const slow = cluster.ask(1, heartbeatApi, beat('slow'), { lane: 'fetch' })
    assert.ok(await cluster.ask(1, heartbeatApi, beat('quick')))
    assert.ok(await cluster.ask(1, heartbeatApi, beat('quick'), { lane: 'group' }))
    await until('the slow one is sent', () => broker.of(heartbeatApi).length === 3)
    assert.equal(broker.sockets.length, 3)
    await cluster.close()
    assert.equal(await slow, null)
  })

  test('a request without an answer in time ends its connection: what was sent behind it is met with silence too', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t, (asked) => {
      if (isHello(asked) || memberOf(asked) !== 'answered') return false
      asked.reply(heartbeatApi, {})
      return true
    })
    const { cluster } = clusterFor(t, [broker.address], { clock })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, beat('answered')))
    const slow = cluster.ask(anyNode, heartbeatApi, beat('slow'), { timeoutMs: 500 })
    const behind = cluster.ask(anyNode, heartbeatApi, beat('behind'))
    await until('both are sent', () => broker.of(heartbeatApi).length === 3)
    await clock.advance(500)
    assert.equal(await slow, null)
    assert.equal(await behind, null)
    // The next question finds a new connection, at once.
    assert.ok(await cluster.ask(anyNode, heartbeatApi, beat('answered')))
    assert.equal(broker.sockets.length, 2)
  })

  test('an answer that waits in the socket beats the time-out of a loop that was blocked', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.reply(heartbeatApi, { errorCode: 7 })
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    await cluster.ask(anyNode, heartbeatApi, beat('a'))
    const answer = cluster.ask(anyNode, heartbeatApi, beat('b'), { timeoutMs: 50 })
    const end = performance.now() + 200
    while (performance.now() < end);
    assert.equal((await answer)?.body.errorCode, 7)
  })

  for (const [what, spoil, says] of [
    [
      'the answer to another question',
      (asked: Asked) => asked.reply(heartbeatApi, {}, { correlationId: 4_711 }),
      /the answer to request 4711/,
    ],
    [
      'bytes that do not decode',
      ({ socket, correlationId }: Asked) => {
        const frame = Buffer.alloc(9)
        frame.writeInt32BE(5)
        frame.writeInt32BE(correlationId, 4)
        socket.write(frame)
      },
      /not an answer of Kafka's protocol/,
    ],
    [
      'a frame that is larger than allowed',
      ({ socket }: Asked) => socket.write(Buffer.from('7fffffff', 'hex')),
      /2147483647 bytes/,
    ],
    ['a negative length', ({ socket }: Asked) => socket.write(Buffer.from('ffffffff', 'hex')), /-1 bytes/],
    [
      'an answer that nobody asked for',
      (asked: Asked) => {
        asked.reply(heartbeatApi, {})
        asked.reply(heartbeatApi, {})
      },
      /nobody asked for/,
    ],
  ] as const) {
    test(`${what} ends the connection, is told, and the next connection works`, async (t) => {
      const broker = await scripted(t, (asked) => {
        if (isHello(asked)) return false
        if (memberOf(asked) === 'spoilt') spoil(asked)
        else if (memberOf(asked) === 'good') asked.reply(heartbeatApi, {})
        return true
      })
      const { cluster, states } = clusterFor(t, [broker.address])
      await cluster.ask(anyNode, heartbeatApi, beat('good'))
      const spoilt = cluster.ask(anyNode, heartbeatApi, beat('spoilt'))
      const behind = cluster.ask(anyNode, heartbeatApi, beat('behind'))
      const answer = await spoilt
      if (what !== 'an answer that nobody asked for') assert.equal(answer, null)
      assert.equal(await behind, null)
      const told = states.at(-1)
      assert.ok(told?.kind === 'unreachable')
      assert.equal(told.error.code, 'BROKER_ANSWER_INVALID')
      if (what !== 'an answer that nobody asked for') assert.match(told.error.message, says)
      assert.ok(await cluster.ask(anyNode, heartbeatApi, beat('good')))
      assert.deepEqual(
        states.map(({ kind }) => kind),
        ['connected', 'unreachable', 'connected'],
      )
    })
  }

  test('HTTP is recognised, and nothing is asked of it', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t, ({ socket }) => {
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
      return true
    })
    const { cluster, states } = clusterFor(t, [broker.address], { clock })
    const answer = cluster.ask(anyNode, metadataApi, { topics: [] })
    const told = await until('it is told', () => states[0])
    assert.ok(told.kind === 'unreachable')
    assert.match(told.error.message, /speaks HTTP/)
    await cluster.close()
    assert.equal(await answer, null)
  })

  test('a TLS alert in answer to plain words says what to set', async (t) => {
    const broker = await scripted(t, ({ socket }) => {
      socket.end(Buffer.from('15030300020250', 'hex'))
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    await assert.rejects(cluster.ask(anyNode, metadataApi, { topics: [] }), {
      code: 'TLS_FAILED',
      message: /set tls: true/,
    })
  })

  test('a broker that closes at the first request may want a login, and is not asked in a hurry', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.socket.end()
      return true
    })
    const { cluster, states } = clusterFor(t, [broker.address], { clock })
    assert.equal(await cluster.ask(anyNode, metadataApi, { topics: [] }), null)
    const [told] = states
    assert.ok(told?.kind === 'unreachable')
    assert.match(told.error.message, /login \(sasl\)/)
    const second = cluster.ask(anyNode, metadataApi, { topics: [] })
    await clock.settle()
    assert.equal(broker.sockets.length, 1)
    await clock.advance(told.nextTryMs - clock.now())
    assert.equal(await second, null)
    assert.equal(states.length, 1, 'told once')
    assert.equal(cluster.states[0]?.kind === 'unreachable' && cluster.states[0].tries, 2)
  })

  test('a throttled connection is left alone for that long, and no longer than half a request', async (t) => {
    const clock = new ManualClock()
    let throttleTimeMs = 700
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.reply(heartbeatApi, { throttleTimeMs })
      throttleTimeMs = memberOf(asked) === 'long' ? 3_600_000 : 0
      return true
    })
    const { cluster } = clusterFor(t, [broker.address], { clock, requestTimeoutMs: 10_000 })
    await cluster.ask(anyNode, heartbeatApi, beat('a'))
    const later = cluster.ask(anyNode, heartbeatApi, beat('long'))
    await clock.advance(699)
    assert.equal(broker.of(heartbeatApi).length, 1)
    await clock.advance(1)
    assert.ok(await within('held back', later))
    await cluster.ask(anyNode, heartbeatApi, beat('c'))
    const last = cluster.ask(anyNode, heartbeatApi, beat('d'))
    await clock.advance(5_000)
    assert.ok(await within('the bound', last))
  })

  test('a request without an answer is done when it is sent', async (t) => {
    const broker = await scripted(t, () => false)
    const { cluster } = clusterFor(t, [broker.address])
    assert.equal(await cluster.post(anyNode, heartbeatApi, beat('posted')), true)
    await until('it has come', () => broker.of(heartbeatApi).length === 1)
    await cluster.close()
    assert.equal(await cluster.post(anyNode, heartbeatApi, beat('too late')), false)
  })

  test('what cannot be written is refused, and leaves no trace on the connection', async (t) => {
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.reply(heartbeatApi, {})
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    const fixed = beat('x'.repeat(40_000))
    await assert.rejects(cluster.ask(anyNode, heartbeatApi, fixed, { maxVersion: 2 }), { code: 'VALUE_OUT_OF_RANGE' })
    assert.ok(await cluster.ask(anyNode, heartbeatApi, beat('good')))
    assert.equal(broker.of(heartbeatApi).length, 1)
    await assert.rejects(cluster.ask(anyNode, produceApi, {}), { code: 'UNSUPPORTED_VERSION' })
  })

  test('a broker that does not read is not fed for ever: what comes later is not even written down', async (t) => {
    let isReading = false
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) {
        asked.reply(apiVersionsApi, { apiKeys: allVersions })
        if (!isReading) asked.socket.pause()
      } else asked.reply(saslAuthenticateApi, {})
      return true
    })
    const { cluster } = clusterFor(t, [broker.address])
    const authBytes = Buffer.alloc(20 * 2 ** 20)
    let written = 0
    const asks = Array.from({ length: 8 }, () =>
      cluster.ask(anyNode, saslAuthenticateApi, () => {
        written++
        return { authBytes }
      }),
    )
    await until('as much as may be', () => written >= 4)
    await until('the server holds still', () => broker.sockets[0]?.isPaused())
    assert.ok(written < 8, `${written} of 8`)
    isReading = true
    broker.sockets[0]?.resume()
    assert.equal((await Promise.all(asks)).includes(null), false)
    assert.equal(written, 8)
  })

  test('an unused connection is closed, without a word', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t, (asked) => {
      if (isHello(asked)) return false
      asked.reply(heartbeatApi, {})
      return true
    })
    const { cluster, states } = clusterFor(t, [broker.address], { clock, idleMs: 60_000 })
    await cluster.ask(anyNode, heartbeatApi, beat('a'))
    await clock.advance(50_000)
    await cluster.ask(anyNode, heartbeatApi, beat('b'))
    await clock.advance(59_000)
    assert.equal(broker.sockets[0]?.readyState, 'open')
    await clock.advance(1_000)
    await until('closed', () => broker.sockets[0]?.destroyed)
    assert.ok(await cluster.ask(anyNode, heartbeatApi, beat('c')))
    assert.equal(broker.sockets.length, 2)
    assert.deepEqual(
      states.map(({ kind }) => kind),
      ['connected'],
    )
  })

  test('close() answers everything that waits, at once, and leaves no timer', async (t) => {
    const clock = new ManualClock()
    const broker = await scripted(t)
    const { cluster } = clusterFor(t, [broker.address, '127.0.0.1:1'], { clock })
    const sent = cluster.ask(anyNode, heartbeatApi, beat('sent'))
    await until('it is sent', () => broker.of(heartbeatApi).length === 1)
    cluster.learnNodes([{ nodeId: 5, host: '127.0.0.1', port: 1 }], false)
    const dialling = cluster.ask(5, heartbeatApi, beat('dialling'), { lane: 'group' })
    const posted = cluster.post(5, heartbeatApi, beat('posted'))
    await cluster.close()
    assert.deepEqual(await Promise.all([sent, dialling, posted]), [null, null, false])
    assert.equal(cluster.isOpen, false)
    assert.equal(await cluster.ask(anyNode, heartbeatApi, beat('after')), null)
    assert.equal(clock.timers, 0)
  })
})
