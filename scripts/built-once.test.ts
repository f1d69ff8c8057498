import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { builtOnce } from './built-once.ts'

const caches = mkdtempSync(join(tmpdir(), 'bridle-built-once-'))
afterAll(() => rmSync(caches, { recursive: true, force: true }))

/** No process has this number: it is above the largest one of Linux. */
const DEAD_PID = 2 ** 22 + 1

const builder = (name: string) => {
  let builds = 0
  const build = async (folder: string) => {
    builds += 1
    mkdirSync(folder)
    await setTimeout(100)
    writeFileSync(join(folder, 'text'), `built ${builds}`)
  }
  return { get: () => builtOnce({ name, sources: [], build }, caches), builds: () => builds }
}

test('callers at once share one build, and find it whole', async () => {
  const { get, builds } = builder('shared')
  const folders = await Promise.all([get(), get(), get()])
  expect(new Set(folders).size).toBe(1)
  expect([builds(), readFileSync(join(folders[0], 'text'), 'utf8')]).toEqual([1, 'built 1'])
})

test('the lock of a process that was killed while it built holds up nobody', async () => {
  const { get, builds } = builder('interrupted')
  const folder = await get()
  rmSync(folder, { recursive: true })
  writeFileSync(`${folder}.lock`, String(DEAD_PID))
  expect(await get()).toBe(folder)
  expect([builds(), existsSync(`${folder}.lock`)]).toEqual([2, false])
})

test('a build that fails is tried again by the next caller', async () => {
  const { get, builds } = builder('failing')
  const fail = () => Promise.reject(new Error('no disk'))
  await expect(builtOnce({ name: 'failing', sources: [], build: fail }, caches)).rejects.toThrow('no disk')
  await get()
  expect(builds()).toBe(1)
})
