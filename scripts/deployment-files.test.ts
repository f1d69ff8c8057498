// The files for running a project on a server: the image, and the unit of systemd.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCommandLine } from '@bridle/cli/command/command'
import { start } from '@bridle/cli/commands/start'
import { expect, test } from 'vitest'
import { parseImageSteps, playImageSteps } from './image-steps.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, '../packages/bridle/templates', name), 'utf8')
const steps = parseImageSteps(read('Dockerfile'))

test('[O80] the image has ten lines, and serves on all addresses with its data in a volume', () => {
  expect(read('Dockerfile').trim().split('\n')).toHaveLength(10)
  const textOf = (name: string) => steps.find(({ instruction }) => instruction === name)?.text ?? ''
  expect([textOf('ENV'), textOf('VOLUME')]).toEqual(['BRIDLE_DATA=/home/node/data', '/home/node/data'])
  const [program, verb, ...args] = JSON.parse(textOf('CMD')) as string[]
  expect([program, verb]).toEqual(['node_modules/.bin/bridle', 'start'])
  expect(parseCommandLine('start', { ...start, argumentNames: [] }, args).flags).toEqual({ host: '0.0.0.0' })
})

test('[O80] its steps leave out what .dockerignore names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-image-'))
  const context = join(folder, 'project')
  for (const path of ['agents', 'node_modules', '.bridle']) mkdirSync(join(context, path), { recursive: true })
  for (const [path, text] of [
    ['agents/a.ts', ''],
    ['node_modules/x', ''],
    ['.env', 'KEY=1'],
    ['.dockerignore', '.bridle/\n.env\nnode_modules/\n'],
  ])
    writeFileSync(join(context, path ?? ''), text ?? '')
  const offline = steps.filter(({ text }) => !text.startsWith('npm'))
  const image = playImageSteps(offline, { root: join(folder, 'root'), context, home: '/home/node', env: {} })
  expect(readdirSync(image.folder).toSorted()).toEqual(['.dockerignore', 'agents'])
  expect(image.env).toEqual({ BRIDLE_DATA: join(folder, 'root/home/node/data') })
  rmSync(folder, { recursive: true, force: true })
})

test('[O81] the unit starts the server with flags that exist', () => {
  const unit = read('bridle.service')
  const words = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  expect(words.slice(0, 3)).toEqual(['/usr/bin/node', 'node_modules/.bin/bridle', 'start'])
  expect(parseCommandLine('start', { ...start, argumentNames: [] }, words.slice(3)).flags).toEqual({
    data: '/var/lib/bridle',
  })
  const names = [...unit.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['User', 'WorkingDirectory', 'StateDirectory', 'Restart', 'WantedBy']))
  expect(new Set(names).size).toBe(names.length)
})

test('[O81] the unit is the one that the tutorial explains, and needs its token', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/tutorials/going-live.md'), 'utf8')
  const [, explained = ''] = /```ini bridle\.service\n(.*?)```/s.exec(page) ?? []
  expect(read('bridle.service').replace(/^(#.*\n)+/, '')).toBe(explained)
  expect(explained).toContain('\nEnvironmentFile=/etc/bridle.env\n')
})
