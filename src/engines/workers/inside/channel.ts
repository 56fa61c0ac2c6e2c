/** The way out of a worker: a port of a thread, or a pipe of a process. Messages arrive in order, and so do answers. */
import { Socket } from 'node:net'
import type { MessagePort } from 'node:worker_threads'
import { FrameReader } from '../frames.ts'

export interface Channel {
  post(message: Buffer): void
  listen(onMessage: (message: Buffer) => void, onEnd: () => void): void
}

export function portChannel(port: MessagePort): Channel {
  return {
    post(message) {
      const memory = message.buffer as ArrayBuffer
      port.postMessage(memory, [memory])
    },
    listen(onMessage, onEnd) {
      port.on('message', (memory: ArrayBuffer) => onMessage(Buffer.from(memory)))
      port.on('close', onEnd)
    },
  }
}

export function pipeChannel(fd: number): Channel {
  const pipe = new Socket({ fd, readable: true, writable: true })
  return {
    post: (message) => {
      pipe.write(message)
    },
    listen(onMessage, onEnd) {
      const frames = new FrameReader(onMessage)
      pipe.on('data', (chunk) => frames.push(chunk))
      pipe.on('error', onEnd)
      pipe.on('close', onEnd)
    },
  }
}
