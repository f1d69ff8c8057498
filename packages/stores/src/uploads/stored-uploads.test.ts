// [H66] Uploaded files over the life of a server and of the sessions that use them.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { afterEach, expect, test } from 'vitest'
import { UPLOAD_KEPT_MS, UPLOADS_UNUSED_BYTES_MAX, UPLOADS_UNUSED_USER_BYTES_MAX } from '../limits.ts'
import { StoredUploads } from './stored-uploads.ts'
import { memoryUploadFolder, uploadFolder } from './upload-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-uploads-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))
const path = join(root, 'files')

let now = 0
const reopen = () => StoredUploads.open(uploadFolder(path), () => now)
const file = { tenant: 'acme', owner: null, name: 'a.bin', mimeType: 'application/octet-stream' }
const keyOf = (id: string): Key => ({ tenant: 'acme', agent: 'scripted', id })
const contentOf = (...bytes: number[]) => Uint8Array.from(bytes)
const addTo = async (uploads: StoredUploads, ...bytes: number[]) =>
  String((await uploads.add(file, contentOf(...bytes)))?.id)

test('[H66] files and their sessions survive a restart, byte for byte', async () => {
  const before = await reopen()
  const [used, unused] = [await addTo(before, 0, 255, 128), await addTo(before, 7)]
  expect(await before.claim(used, keyOf('s'))).toBe(true)
  const after = await reopen()
  expect([after.find(used), after.find(unused)]).toEqual([before.find(used), before.find(unused)])
  expect(after.find(used)?.session).toEqual(keyOf('s'))
  expect([...((await after.read(used, 'acme')) ?? [])]).toEqual([0, 255, 128])
  expect(await after.claim(used, keyOf('t'))).toBe(false)
})

test('[H66] an upload that a crash cut short leaves nothing behind', async () => {
  const before = await reopen()
  const whole = await addTo(before, 1)
  for (const name of ['file-half', 'file-half.new', `${whole}.json.new`]) writeFileSync(join(path, name), 'half')
  expect((await reopen()).find('file-half')).toBeNull()
  expect(readdirSync(path).sort()).toEqual([whole, `${whole}.json`])
})

test('[H66] files go with their session, and unused ones after a day', async () => {
  const uploads = await reopen()
  const [first, second, gone, unused] = await Promise.all([1, 2, 3, 4].map((byte) => addTo(uploads, byte)))
  for (const [id, session] of [
    [first, 's'],
    [second, 't'],
    [gone, 'never-created'],
  ] as const)
    await uploads.claim(String(id), keyOf(session))
  const exists = async ({ id }: Key) => id !== 'never-created'
  await uploads.removeOrphans(exists)
  expect(readdirSync(path)).toHaveLength(8)
  now += UPLOAD_KEPT_MS + 1
  expect(uploads.find(String(unused))).toBeNull()
  await uploads.removeOrphans(exists)
  expect(readdirSync(path).sort()).toEqual([first, second].flatMap((id) => [String(id), `${id}.json`]).sort())
  await uploads.release(keyOf('s'))
  expect([uploads.find(String(first)), await uploads.read(String(first), 'acme')]).toEqual([null, null])
  expect(await uploads.read(String(second), 'acme')).not.toBeNull()
  expect(await uploads.read(String(second), 'other')).toBeNull()
})

test('[H66] what a tenant leaves unused is bounded', async () => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => now)
  // No gigabyte is needed: only the length counts.
  const large = { byteLength: UPLOADS_UNUSED_BYTES_MAX - 1 } as Uint8Array
  const first = await uploads.add(file, large)
  expect(await uploads.add(file, contentOf(1, 2))).toBeNull()
  expect(await uploads.add({ ...file, tenant: 'other' }, contentOf(1, 2))).not.toBeNull()
  await uploads.claim(String(first?.id), keyOf('s'))
  expect(await uploads.add(file, contentOf(1, 2))).not.toBeNull()
})

test('[H66] a user fills a quarter of what the tenant may leave unused, and the others go on', async () => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => now)
  const [ann, bob] = [
    { ...file, owner: 'user:ann' },
    { ...file, owner: 'user:bob' },
  ]
  const large = { byteLength: UPLOADS_UNUSED_USER_BYTES_MAX - 1 } as Uint8Array
  const first = await uploads.add(ann, large)
  expect(await uploads.add(ann, contentOf(1, 2))).toBeNull()
  for (const other of [bob, { ...file, owner: null }, { ...ann, tenant: 'other' }])
    expect(await uploads.add(other, contentOf(1, 2))).not.toBeNull()
  await uploads.claim(String(first?.id), keyOf('s'))
  expect(await uploads.add(ann, contentOf(1, 2))).not.toBeNull()
  // A credential without a user has what the tenant has.
  expect(
    await uploads.add({ ...file, owner: null }, { byteLength: UPLOADS_UNUSED_BYTES_MAX / 2 } as Uint8Array),
  ).not.toBeNull()
})
