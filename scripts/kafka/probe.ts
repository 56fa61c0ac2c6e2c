/**
 * Is a broker up? Asks it for its metadata over a plain socket (Metadata, version 1), so that starting Kafka depends on no
 * client library, and neither on our own codec, which is tested against this very broker.
 */
import { connect } from 'node:net'

/** How many brokers this one knows to be alive; 0 while it does not answer. */
export function liveBrokers(port: number, timeoutMs: number): Promise<number> {
  // Length, then the header (key 3, version 1, correlation id 7, no client id), then an empty list of topics.
  const request = Buffer.from('0000000e' + '0003' + '0001' + '00000007' + 'ffff' + '00000000', 'hex')
  return new Promise((resolve) => {
    let answer = Buffer.alloc(0)
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const settle = (count: number): void => {
      socket.destroy()
      resolve(count)
    }
    socket.setTimeout(timeoutMs, () => settle(0))
    socket.on('error', () => settle(0))
    socket.on('close', () => resolve(0))
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk])
      // Length, correlation id, then the count of brokers.
      if (answer.length >= 12) settle(answer.readInt32BE(8))
    })
  })
}
