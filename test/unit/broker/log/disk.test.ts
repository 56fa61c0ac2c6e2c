/** What a disk has to do, on every disk that there is. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { type Disk, writeFileAtomically } from '../../../../src/broker/log/disk.ts'
import { MemoryDisk } from '../../../../src/broker/log/memory-disk.ts'
import { NodeDisk } from '../../../../src/broker/log/node-disk.ts'
import { SimDisk } from '../../../support/sim-disk.ts'
import { temporaryDirectory } from './support.ts'

const disks: Record<string, (t: TestContext) => { disk: Disk; root: string }> = {
  memory: () => ({ disk: new MemoryDisk(), root: 'data' }),
  node: (t) => ({ disk: new NodeDisk(), root: temporaryDirectory(t) }),
  simulated: () => ({ disk: new SimDisk(), root: 'data' }),
}

for (const [kind, make] of Object.entries(disks)) {
  test(`${kind} disk: appends, reads any range, overwrites, truncates, keeps what was closed`, async (t) => {
    const { disk, root } = make(t)
    await disk.makeDirectory(`${root}/a/b`)
    const path = `${root}/a/b/file`
    const file = await disk.open(path, 'create')
    const model: Buffer[] = []
    for (let round = 0; round < 20; round++) {
      const chunks = Array.from({ length: round * round * 7 + 1 }, (_, i) => Buffer.alloc((i * 37 + round) % 300, i))
      if (round % 5 === 0) chunks.push(Buffer.alloc(10_000, round))
      await file.append(chunks)
      model.push(...chunks)
    }
    let expected = Buffer.concat(model)
    assert.equal(file.size, expected.length)
    for (let at = 0; at < expected.length; at += 4_999) {
      const length = Math.min(expected.length - at, at % 7_001)
      assert.deepEqual(await file.read(at, length), expected.subarray(at, at + length))
    }
    await assert.rejects(async () => file.read(expected.length - 1, 2), { code: 'DISK_SHORT_READ' })
    await file.overwrite(100, Buffer.alloc(50, 9))
    expected.fill(9, 100, 150)
    await file.truncate(5_000)
    await file.append([Buffer.from('end')])
    expected = Buffer.concat([expected.subarray(0, 5_000), Buffer.from('end')])
    await file.sync()
    await file.close()
    assert.equal(await disk.size(path), expected.length)
    assert.deepEqual(await disk.readFile(path), expected)
    const again = await disk.open(path, 'existing')
    assert.equal(again.size, expected.length)
    await again.append([Buffer.from('!')])
    await again.close()
    assert.equal(await disk.size(path), expected.length + 1)
  })

  test(`${kind} disk: names come, change and go`, async (t) => {
    const { disk, root } = make(t)
    const directory = `${root}/names`
    assert.deepEqual(await disk.list(directory), [])
    await disk.makeDirectory(directory)
    await disk.makeDirectory(directory)
    await writeFileAtomically(disk, directory, 'one', Buffer.from('1'))
    await writeFileAtomically(disk, directory, 'one', Buffer.from('2'))
    await writeFileAtomically(disk, directory, 'two', Buffer.from('x'))
    assert.deepEqual([...(await disk.list(directory))].sort(), ['one', 'two'])
    await disk.rename(`${directory}/one`, `${directory}/two`)
    assert.deepEqual(await disk.list(directory), ['two'])
    assert.equal(String(await disk.readFile(`${directory}/two`)), '2')
    assert.equal(await disk.readFile(`${directory}/one`), undefined)
    await assert.rejects(async () => disk.open(`${directory}/one`, 'existing'), { code: 'DISK_FAILED' })
    await disk.remove(`${directory}/two`)
    await disk.remove(`${directory}/two`)
    await disk.syncDirectory(directory)
    await disk.removeDirectory(directory)
    assert.deepEqual(await disk.list(directory), [])
  })
}

test('node disk: nobody but the owner can read files and directories', async (t) => {
  const root = temporaryDirectory(t)
  const disk = new NodeDisk()
  await disk.makeDirectory(`${root}/topic/0`)
  const file = await disk.open(`${root}/topic/0/log`, 'create')
  await file.close()
  assert.equal(statSync(`${root}/topic/0/log`).mode & 0o777, 0o600)
  assert.equal(statSync(`${root}/topic`).mode & 0o777, 0o700)
  assert.equal(statSync(`${root}/topic/0`).mode & 0o777, 0o700)
})

test('node disk: an error names the file, what was tried and what to do', async (t) => {
  const root = temporaryDirectory(t)
  const disk = new NodeDisk()
  await assert.rejects(disk.open(`${root}/missing/file`, 'create'), {
    code: 'DISK_FAILED',
    message: /^Cannot open .*\/missing\/file: ENOENT/,
  })
})

test('memory disk: large chunks are kept as they are, whole batches are viewed without a copy', async () => {
  const disk = new MemoryDisk()
  const file = disk.open('data/file', 'create')
  const large = Buffer.alloc(100_000, 1)
  const part = Buffer.alloc(1_000_000, 2).subarray(500, 50_500)
  await file.append([large, part, Buffer.from('small'), Buffer.from('too')])
  const [first, second, third] = file.view?.(0, file.size) ?? []
  assert.equal(first?.buffer, large.buffer)
  // It would keep a buffer of twenty times its size alive.
  assert.notEqual(second?.buffer, part.buffer)
  assert.deepEqual(second, part)
  assert.equal(String(third), 'smalltoo')
  const inside = file.read(100_010, 10) as Buffer
  assert.equal(inside.buffer, second?.buffer)
})
