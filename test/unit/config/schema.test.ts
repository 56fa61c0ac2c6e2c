/** One list of settings: it agrees with the checks and the defaults of consume(), and with the page that shows it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settingsTable } from '../../../scripts/docs/settings.ts'
import { root } from '../../../scripts/files.ts'
import { notFlat, settings } from '../../../src/config/schema.ts'
import { toKernelOptions } from '../../../src/consumer/kernel-options.ts'
import { CHECKS } from '../../../src/consumer/option-table.ts'

describe('the list of settings', () => {
  test('has every option of consume(), or says why not', () => {
    const tops = new Set(settings.map(({ name }) => name.split('.')[0]))
    const missing = Object.keys(CHECKS).filter((name) => !tops.has(name) && !Object.hasOwn(notFlat, name))
    assert.deepEqual(missing, [], 'give it a row in src/config/schema.ts, or a reason in notFlat')
    const strange = [...tops].filter((name) => name !== undefined && !Object.hasOwn(CHECKS, name))
    assert.deepEqual(strange, [], 'consume() does not know these')
  })

  test('names parts of options that exist: each is refused where its kind is wrong', () => {
    for (const { name, kind } of settings) {
      const [top = '', ...rest] = name.split('.')
      // What is below these is somebody else’s: node:tls, the SASL mechanism, codecs, workers with their kind.
      if (['client.tls', 'client.sasl', 'decode', 'engine'].some((open) => name.startsWith(open))) continue
      const value = kind === 'yes-no' ? 'neither' : Symbol('nothing')
      const said = CHECKS[top]?.(rest.length === 0 ? value : { [rest.join('.')]: value })
      assert.notEqual(said, null, name)
      assert.ok(!said?.includes(`without '${rest[0]}'`), `${top} has no ${rest[0]}`)
    }
  })

  test('tells the defaults that hold', () => {
    const { retry, limits, commit, blockingBurst, concurrency, order, delivery, drainMs, ...more } = toKernelOptions({})
    const held: Record<string, unknown> = {
      order,
      delivery,
      drainMs,
      concurrency: concurrency.max,
      output: more.output,
      nullKeys: more.nullKeys,
      'scheduling.blockingBurst': blockingBurst,
      'limits.records': limits.records,
      'limits.bytes': limits.bytes,
      'limits.pauseAt': limits.pauseAt,
      'limits.resumeAt': limits.resumeAt,
      'retry.attempts': retry.attempts,
      'retry.initialMs': retry.initialMs,
      'retry.factor': retry.factor,
      'retry.maxMs': retry.maxMs,
      'retry.jitter': retry.jitter,
      'commit.everyMs': commit.everyMs,
      'commit.everyRecords': commit.everyRecords,
      'commit.mapMaxChars': commit.mapMaxChars,
    }
    for (const [name, value] of Object.entries(held)) {
      assert.equal(settings.find((each) => each.name === name)?.fallback, String(value), name)
    }
  })

  test('no flag and no name of the environment means two things', () => {
    const flags = settings.flatMap(({ flag }) => flag ?? [])
    const names = settings.flatMap(({ env }) => env)
    assert.equal(new Set(flags).size, flags.length)
    assert.equal(new Set(names).size, names.length)
    assert.ok(settings.filter(({ isSecret }) => isSecret).every(({ flag }) => flag === null))
  })

  test('the table in the guide is current (npm run generate)', () => {
    const page = readFileSync(join(root, 'docs/guide/configuration.md'), 'utf8')
    assert.ok(page.includes(settingsTable()))
  })
})
