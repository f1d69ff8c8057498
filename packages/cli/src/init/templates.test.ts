// The tests of each template pass, in a project that was just written.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace } from '../cli.suite.ts'
import type { TemplateName } from './templates.ts'
import { writeProject } from './write-project.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-templates-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.each(variants<TemplateName>(['agent'], ['chat', 'claude']))('[C110] the tests of %s pass', (template) => {
  const folder = join(root, template)
  expect(writeProject({ folder, template, source: { kind: 'registry', version: '0.1.0' } })).toHaveProperty('count')
  // The packages of this checkout stand for an installation.
  symlinkSync(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const args = ['--conditions=bridle-source', '--test', '--test-reporter=tap', 'tests/*.test.ts']
  const report = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env })
  expect(report).toMatch(/^# fail 0$/m)
  expect(report).toMatch(/^# pass [2-9]$/m)
})

describe('bad input', () => {
  const work = new CliWorkspace()
  afterAll(() => work.remove())

  test.each([
    [['init', '--template', 'agnet'], 'There is no template "agnet"; agent, chat, claude are.'],
    [['init', 'a', 'b'], '"b" is one argument too many. Try bridle init --help.'],
    [['init', process.execPath], `${process.execPath} is a file, not a folder.`],
  ])('[C112] %j is a usage error', async (args, problem) => {
    expect(await work.bridle(args)).toEqual({ code: 2, stdout: '', stderr: `bridle: ${problem}\n` })
  })
})
