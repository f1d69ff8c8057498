// The index of a tenant's files in an object, and its pieces, on the storage of one.

import type { Key } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { CLEANUP_RETRY_MS, UPLOAD_KEPT_MS, UPLOADS_UNUSED_BYTES_MAX, UPLOADS_UNUSED_USER_BYTES_MAX } from '../limits.ts'
import { objectDriver } from '../object/object-driver.ts'
import { directoryObjectMigrations } from '../object/object-schema.ts'
import { memoryObjectStorage } from '../object/object-storage.suite.ts'
import { UploadIndex } from './upload-index.ts'
import { readPieces, UPLOAD_PIECE_BYTES, writePieces } from './upload-pieces.ts'

const keyOf = (id: string): Key => ({ tenant: 'acme', agent: 'scripted', id })
const file = { tenant: 'acme', owner: null, name: null, mimeType: 'text/plain', sizeBytes: 1, inBucket: false }

const emptyIndex = () => {
  const clock = { now: 0 }
  const erased: string[] = []
  const alarms: (number | null)[] = []
  const faults = { erase: 0 }
  const index = new UploadIndex({
    driver: objectDriver(memoryObjectStorage(), directoryObjectMigrations),
    now: () => clock.now,
    ring: async (at) => void alarms.push(at),
    erase: async ({ id }) => {
      if (faults.erase-- > 0) throw new Error('internal error')
      erased.push(id)
    },
    exists: async ({ id }) => id !== 'never',
  })
  const add = async (more: object = {}) => {
    const id = String((await index.reserve({ ...file, ...more }))?.id)
    index.complete(id)
    return id
  }
  return { index, add, clock, erased, alarms, faults }
}

test('[CF26] a file is found once its bytes are stored', async () => {
  const { index, erased } = emptyIndex()
  const [whole, half] = [await index.reserve(file), await index.reserve(file)]
  expect([index.find(String(whole?.id)), index.find('file-unknown')]).toEqual([null, null])
  index.complete(String(whole?.id))
  expect(index.find(String(whole?.id))).toEqual(whole)
  await index.discard(String(half?.id))
  index.complete(String(half?.id))
  expect([index.find(String(half?.id)), erased]).toEqual([null, [half?.id]])
})

test('[CF27] the alarm is that of the file that expires next; a file that cannot be erased is tried again', async () => {
  const { index, add, clock, erased, alarms, faults } = emptyIndex()
  const first = await add()
  clock.now = 1_000
  const [second, orphan] = [await add(), await add()]
  expect(await index.claim(orphan, keyOf('never'))).toBe(true)
  expect(alarms.at(-1)).toBe(UPLOAD_KEPT_MS + 1)
  clock.now = UPLOAD_KEPT_MS + 1
  faults.erase = 1
  await index.cleanUp()
  expect([index.find(first), erased, alarms.at(-1)]).toEqual([null, [], clock.now + CLEANUP_RETRY_MS])
  await index.cleanUp()
  expect([erased, alarms.at(-1)]).toEqual([[first], 1_000 + UPLOAD_KEPT_MS + 1])
  expect(await index.claim(second, keyOf('s'))).toBe(true)
  clock.now += UPLOAD_KEPT_MS
  await index.cleanUp()
  expect([erased, index.find(second)?.session]).toEqual([[first, orphan], keyOf('s')])
  clock.now += UPLOAD_KEPT_MS
  await index.cleanUp()
  expect([erased.length, alarms.at(-1)]).toEqual([2, null])
})

test('[CF27] a session releases its own files alone, and unused ones cannot be read', async () => {
  const { index, add, erased } = emptyIndex()
  const [own, other, unused] = [await add({ inBucket: true }), await add(), await add()]
  await index.claim(own, keyOf('s'))
  await index.claim(other, keyOf('t'))
  expect([index.locate(own), index.locate(unused)]).toEqual([{ id: own, inBucket: true }, null])
  expect(await index.claim(own, keyOf('t'))).toBe(false)
  await index.release([own, other, unused], keyOf('s'))
  expect([erased, index.locate(own), index.find(other)?.session]).toEqual([[own], null, keyOf('t')])
})

test('[H66] what a tenant leaves unused is bounded', async () => {
  const { index, add } = emptyIndex()
  const large = await add({ sizeBytes: UPLOADS_UNUSED_BYTES_MAX - 1 })
  expect(await index.reserve({ ...file, sizeBytes: 2 })).toBeNull()
  await index.claim(large, keyOf('s'))
  expect(await index.reserve({ ...file, sizeBytes: 2 })).not.toBeNull()
})

test('[H66] a user fills a quarter of what the tenant may leave unused, and the others go on', async () => {
  const { index, add } = emptyIndex()
  const large = await add({ owner: 'user:ann', sizeBytes: UPLOADS_UNUSED_USER_BYTES_MAX - 1 })
  const reserved = (owner: string | null) => index.reserve({ ...file, owner, sizeBytes: 2 })
  expect(await reserved('user:ann')).toBeNull()
  for (const owner of ['user:bob', null]) expect(await reserved(owner)).not.toBeNull()
  await index.claim(large, keyOf('s'))
  expect(await reserved('user:ann')).not.toBeNull()
})

test('[CF26] bytes survive in pieces, and another attempt replaces the first', () => {
  const driver = objectDriver(memoryObjectStorage(), directoryObjectMigrations)
  expect(readPieces(driver)).toBeNull()
  for (const length of [2 * UPLOAD_PIECE_BYTES + 7, UPLOAD_PIECE_BYTES, 1]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 251)
    writePieces(driver, bytes)
    expect(Buffer.compare(readPieces(driver) ?? new Uint8Array(), bytes)).toBe(0)
  }
})

test('[OH104] a file that nobody uses is discarded, and one that a session uses stays', async () => {
  const { index, add, erased } = emptyIndex()
  const [unused, used, other] = [await add(), await add(), await add()]
  await index.claim(used, keyOf('s'))
  for (const id of [unused, used, 'file-unknown']) await index.discard(id)
  expect([unused, used, other].map((id) => index.find(id)?.id)).toEqual([undefined, used, other])
  expect(erased).toEqual([unused])
})
