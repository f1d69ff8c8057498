// Which places of a folder are protected while an agent works in it in place.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protectionProblem } from './held-protection.ts'
import { holdPlaceholders, isPlaceholder, sweepPlaceholders } from './placeholders.ts'
import { isProtected, protectedPlaces } from './protected-places.ts'
import type { ServerProject } from './server-projects.ts'

let top: string
let work: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-places-')))
  work = join(top, 'work')
  mkdirSync(work)
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const write = (path: string, text = '') => {
  mkdirSync(dirname(join(work, path)), { recursive: true })
  writeFileSync(join(work, path), text)
}
const project = (path: string, ...agents: string[]): ServerProject => ({
  root: join(work, path),
  agents: agents.map((each) => join(work, each)),
})
const of = (...projects: ServerProject[]) => {
  const { problem, ...places } = protectedPlaces(work, projects)
  const named = Object.entries(places).map(([kind, paths]) => [kind, paths.map((each) => relative(work, each)).sort()])
  return { ...Object.fromEntries(named), problem } as Record<string, unknown>
}

const CONFIGS = ['bridle.config.js', 'bridle.config.mjs', 'bridle.config.ts']

test('[O74] a repository without a project of Bridle keeps its packages writable, and a server loads nothing new from it', () => {
  write('package.json', '{"dependencies": {"react": "1"}}')
  write('node_modules/react/index.js')
  expect(of(project('.'))).toEqual({
    present: [],
    absent: ['.bridle', '.env', '.env.local', '.fabricharness', 'agents', ...CONFIGS],
    hidden: [],
    above: [],
    problem: null,
  })
  expect(of()).toEqual({ present: [], absent: [], hidden: [], above: [], problem: null })
})

test('[O74] what is there is read-only: agents, settings, packages, and every file of the name', () => {
  for (const file of ['agents/x.ts', '.env', '.env.local', 'bridle.config.ts', 'bridle.config.ts.bak', 'package.json'])
    write(file, file === 'package.json' ? '{}' : '')
  write('.bridle/secret')
  expect(of(project('.', 'bots/all'))).toEqual({
    present: ['.env', '.env.local', 'agents', 'bridle.config.ts', 'bridle.config.ts.bak', 'package.json'],
    absent: ['.fabricharness', '.npmrc', 'bots', 'bridle.config.js', 'bridle.config.mjs', 'node_modules'],
    hidden: ['.bridle'],
    above: [],
    problem: null,
  })
})

test('[O74] a project further below is found by its files, with the packages of every folder above it', () => {
  write('apps/bot/package.json', '{"devDependencies": {"bridle": "1"}}')
  write('apps/bot/agents/x.ts')
  write('apps/web/package.json', '{}')
  write('package.json', '{}')
  const { present, absent, above } = of()
  expect(present).toEqual(['apps/bot/agents', 'apps/bot/package.json', 'package.json'])
  expect(absent).toEqual(
    expect.arrayContaining(['node_modules', 'apps/node_modules', 'apps/bot/.env', 'apps/bot/.bridle']),
  )
  expect(above).toEqual(['apps', 'apps/bot'])
  // Three projects at once, one of them that of this server.
  write('apps/third/bridle.config.mjs')
  expect(of(project('apps/web')).absent).toEqual(
    expect.arrayContaining(['apps/bot/.env', 'apps/third/agents', 'apps/web/agents']),
  )
  // Their package is that of the folder above; a server was started here before, or the name is only Bridle's.
  write('apps/old/.bridle/secret')
  write('apps/old/agents/y.ts')
  write('apps/fabric/.fabricharness/agents/z.ts')
  mkdirSync(join(work, 'apps/none/.bridle'), { recursive: true })
  const served = of()
  expect(served.present).toEqual(expect.arrayContaining(['apps/fabric/.fabricharness/agents', 'apps/old/agents']))
  expect(served.absent).toEqual(expect.arrayContaining(['apps/old/.env']))
  expect(served.absent).not.toEqual(expect.arrayContaining(['apps/none/.env']))
})

test('[O74] a project above protects only what lies in the folder', () => {
  const parent = { root: top, agents: [join(work, 'bots')] }
  writeFileSync(join(top, 'package.json'), '{"dependencies": {"bridle": "1"}}')
  expect(of(parent)).toMatchObject({
    present: [],
    absent: ['.npmrc', 'bots', 'node_modules', 'package.json'],
    problem: null,
  })
  expect(of({ root: top, agents: [] })).toMatchObject({ present: [], absent: [], problem: null })
})

describe('[O75] no session works in place', () => {
  test('in the agents or the packages of a server', () => {
    expect(protectionProblem(work, null, [{ root: top, agents: [work] }])).toBe(
      `The server loads ${work} from there. Use the mode write, or name another folder.`,
    )
    const inside = join(top, 'node_modules/tool')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(top, 'bridle.config.ts'), '')
    expect(protectionProblem(inside, null, [])).toContain(`The server loads ${join(top, 'node_modules')} from there.`)
  })

  test('where a link leads to what a server loads, since an agent could replace the link', () => {
    write('real/x.ts')
    symlinkSync('real', join(work, 'agents'))
    expect(protectionProblem(work, null, [project('.')])).toContain(`${join(work, 'agents')} is a symbolic link`)
    rmSync(join(work, 'agents'))
    symlinkSync('real', join(work, 'way'))
    expect(protectionProblem(work, null, [project('.', 'way/bots')])).toContain(`${join(work, 'way')} is a symbolic`)
    rmSync(join(work, 'way'))
    symlinkSync('/nowhere', join(work, '.env.local'))
    expect(protectionProblem(work, null, [project('.')])).toBeNull()
  })

  test('without a sandbox, in a folder from which a server loads', () => {
    expect(protectionProblem(work, 'no bwrap', [project('.')])).toMatch(
      /nothing keeps an agent from changing them: no bwrap\. Use the mode write/,
    )
    expect(protectionProblem(work, 'no bwrap', [{ root: join(top, 'other'), agents: [] }])).toBeNull()
  })
})

test('[O74] tools know a protected path in every spelling that a file system may have', () => {
  const places = protectedPlaces(work, [project('.')])
  const isLocked = (path: string) => isProtected(places, join(work, path))
  expect(['agents', 'Agents/x.ts', 'AGENTS/deep/x.ts', '.Env', 'agents/x.ts', '.en\u200bv'].map(isLocked)).toEqual(
    Array(6).fill(true),
  )
  expect(['agents.md', 'src/agents/x.ts', '.envrc', 'package.json'].map(isLocked)).toEqual(Array(4).fill(false))
})

describe('placeholders', () => {
  const leases = () => join(top, 'leases')
  const paths = () => [join(work, '.env'), join(work, 'agents')]

  test('[O74] stay until the last of three sandboxes has ended', () => {
    const releases = [1, 2, 3].map(() => holdPlaceholders(leases(), paths()))
    for (const release of releases) {
      expect(paths().map(isPlaceholder)).toEqual([true, true])
      expect(of(project('.')).absent).toContain('agents')
      release()
      release()
    }
    expect([readdirSync(work), readdirSync(leases())]).toEqual([[], []])
  })

  test('[O74] of a process that was killed go with the next start; a folder of a person stays', () => {
    holdPlaceholders(leases(), paths())
    for (const folder of readdirSync(leases()))
      for (const lease of readdirSync(join(leases(), folder))) {
        const file = join(leases(), folder, lease)
        // The number of a process that cannot be there.
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: 2 ** 22 + 1 }))
      }
    sweepPlaceholders(leases())
    expect([readdirSync(work), readdirSync(leases())]).toEqual([[], []])
    const release = holdPlaceholders(leases(), [join(work, 'bots')])
    write('bots/mine.ts')
    release()
    expect(readdirSync(join(work, 'bots'))).toEqual(['mine.ts'])
    mkdirSync(join(work, 'empty'))
    holdPlaceholders(leases(), [join(work, 'empty')])()
    expect(readdirSync(work)).toContain('empty')
  })
})
