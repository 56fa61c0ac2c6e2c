import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseBrokers } from '../../../src/cluster/net/brokers.ts'
import { OptionError } from '../../../src/errors.ts'

const texts = (brokers: readonly string[]): string[] => parseBrokers(brokers).map(({ text }) => text)

describe('addresses of brokers', () => {
  test('host and port, host alone, IPv6 in brackets; every address once', () => {
    assert.deepEqual(texts(['a:1', 'b', ' c:65535 ', '[::1]:9093', '[::1]', 'b:9092']), [
      'a:1',
      'b:9092',
      'c:65535',
      '[::1]:9093',
      '[::1]:9092',
    ])
    assert.equal(parseBrokers(['[::1]:9093'])[0]?.host, '::1')
  })

  for (const [given, says] of [
    [[], /no broker/],
    [[''], /empty/],
    [['a:1,b:2'], /comma/],
    [['::1'], /brackets/],
    [['kafka://a:1'], /kafka:\/\//],
    [['a:0'], /1 to 65535/],
    [['a:65536'], /1 to 65535/],
    [['a:x'], /port/],
    [['a:'], /port/],
    [[':9092'], /host/],
    [['a b:1'], /host/],
    [[7], /not 7/],
    ['a:1', /no broker/],
  ] as [readonly string[], RegExp][]) {
    test(`${JSON.stringify(given)} is refused with a reason`, () => {
      assert.throws(
        () => parseBrokers(given),
        (error: unknown) => {
          assert.ok(error instanceof OptionError)
          assert.equal(error.code, 'OPTION_INVALID')
          assert.match(error.message, says)
          return true
        },
      )
    })
  }
})
