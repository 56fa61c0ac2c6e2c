/** The proxy of the chaos run is trusted by everything that it troubles: it may be slow and it may cut, but never mix up. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { ChaosProxy } from '../../chaos/proxy.ts'
import { until } from '../../support/wait.ts'

/** A server that sends everything back. */
async function echo(t: TestContext): Promise<ChaosProxy> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await ChaosProxy.start()
  proxy.target = `127.0.0.1:${(server.address() as { port: number }).port}`
  t.after(async () => {
    await proxy.close()
    server.close()
  })
  return proxy
}

interface Caller {
  readonly socket: Socket
  /** Behind the greeting. */
  readonly text: () => string
  say(text: string): void
}

/** Says who it is as a Kafka client does in its first request, and waits for the answer. */
async function call(t: TestContext, proxy: ChaosProxy, name: string): Promise<Caller> {
  const socket = connect(proxy.port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => socket.destroy())
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
  })
  await once(socket, 'connect')
  const greeting = Buffer.alloc(14 + name.length)
  greeting.writeInt16BE(name.length, 12)
  greeting.write(name, 14)
  socket.write(greeting)
  await until('the greeting comes back', () => bytes.length === greeting.length)
  return { socket, text: () => bytes.toString('latin1', greeting.length), say: (text) => socket.write(text) }
}

describe('the proxy of the chaos run', () => {
  test('what was delayed is not overtaken by what comes when it is quick again', async (t) => {
    const proxy = await echo(t)
    const caller = await call(t, proxy, 'm0')
    proxy.begin({ whose: null, delayMs: 100 })
    caller.say('a')
    await until('it waits', () => proxy.delayed > 0)
    proxy.end()
    caller.say('b')
    caller.say('c')
    await until('everything is back', () => caller.text().length === 3)
    assert.equal(caller.text(), 'abc')
  })

  test('an answer that was dropped is the last one: the connection is cut, and no later answer passes', async (t) => {
    const proxy = await echo(t)
    const caller = await call(t, proxy, 'm0')
    proxy.begin({ whose: 'm0', dropAnswers: true })
    caller.say('a')
    await until('the answer is gone', () => proxy.dropped > 0)
    const closed = once(caller.socket, 'close')
    proxy.end()
    await closed
    assert.equal(caller.text(), '')
    const again = await call(t, proxy, 'm0')
    again.say('b')
    await until('it answers', () => again.text() === 'b')
  })

  test('only the one who is meant is troubled', async (t) => {
    const proxy = await echo(t)
    const one = await call(t, proxy, 'm0')
    const two = await call(t, proxy, 'm1')
    const closed = once(one.socket, 'close')
    proxy.cut('m0')
    await closed
    two.say('b')
    await until('it answers', () => two.text() === 'b')
  })
})
