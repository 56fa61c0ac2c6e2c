/** Errors of integrations that their own tests do not meet. */
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BaseRpcExceptionFilter, RpcException } from '@nestjs/microservices'
import { lastValueFrom } from 'rxjs'
import { reasonOf } from '../../../src/integrations/nestjs/errors.ts'

test("NEST_RPC_ERROR: what Nest's own filter makes of an RpcException", async () => {
  const told = new BaseRpcExceptionFilter().catch(new RpcException('out of stock'), undefined as never)
  const thrown: unknown = await lastValueFrom(told).catch((error: unknown) => error)
  const reason = reasonOf(thrown) as { readonly code: string; readonly message: string; readonly retriable: boolean }
  assert.deepEqual([reason.code, reason.message, reason.retriable], ['NEST_RPC_ERROR', 'out of stock', true])
})
