import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inPlaceProblem, type PlaceFacts } from './in-place.ts'

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-place-')))
  project = join(home, 'project')
  mkdirSync(join(project, '.bridle'), { recursive: true })
  mkdirSync(join(project, 'state'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** As an ordinary user sees it, who owns the folders of this test. */
const facts = (more: Partial<PlaceFacts> = {}): PlaceFacts => ({
  uid: statSync(project).uid,
  agentUser: null,
  home,
  ...more,
})

test('[O71] a session works in a folder of the server’s user', async () => {
  expect(await inPlaceProblem(project, join(project, '.bridle'), null, facts())).toBeNull()
  expect(await inPlaceProblem(project, join(home, 'elsewhere'), null, facts())).toBeNull()
})

test('[O71] and in no folder that holds the home folder, or the data under another name', async () => {
  for (const folder of [home, dirname(home), '/'])
    expect([folder, await inPlaceProblem(folder, '/data', null, facts())]).toEqual([
      folder,
      expect.stringContaining('holds the home folder'),
    ])
  expect(await inPlaceProblem(project, join(project, 'state'), null, facts())).toMatch(/data folder.*--data/)
})

test('[O71] nor in one of another user, which for root is everybody but the user of its agents', async () => {
  const { uid } = statSync(project)
  expect(await inPlaceProblem(project, '/data', null, facts({ uid: uid + 1 }))).toMatch(/belongs to another user/)
  const agentUser = { uid: uid + 1, gid: uid + 1 }
  expect(await inPlaceProblem(project, '/data', null, facts({ uid: 0, agentUser }))).toMatch(
    `runs as root and its agents as user ${uid + 1}`,
  )
  expect(await inPlaceProblem(project, '/data', null, facts({ uid: 0, agentUser: { uid, gid: uid } }))).toBeNull()
})
