// From the tarball to a project of one's own that answers, as the README says, and its image without Docker.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import { parseImageSteps, playImageSteps } from './image-steps.ts'
import type { PackedProject } from './packed.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-project-'))
const started: ChildProcess[] = []
const cleanUp = async () => {
  for (const child of started) {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}

/** As on a machine without this checkout: the same Node, and nothing that npm or Vitest hands down. */
const env = Object.fromEntries([
  ...Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_|VITEST|BRIDLE_|ANTHROPIC_|OPENAI_)/i.test(name),
  ),
  ['PATH', [dirname(process.execPath), process.env.PATH].join(delimiter)],
]) as NodeJS.ProcessEnv
const npm = (project: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd: project, env, encoding: 'utf8', stdio: 'pipe' })
const install = (project: string) => npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund')

/** Starts a program and waits for the address that it prints. */
const serve = async (project: string, command: readonly string[], more: NodeJS.ProcessEnv): Promise<string> => {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: project, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('The server ended before it was ready.')
}
const ask = async (url: string, prompt: string, token?: string) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(`${url}/agents/helper/first`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ prompt }),
  })
  return ((await response.json()) as { result?: string }).result
}

/** The tests of a project that the packed package writes. The package is made before they run. */
export const testNewProject = (packed: PackedProject): void => {
  afterAll(cleanUp)

  describe.each(['agent', 'chat'])('[C110] [C111] %s', (template) => {
    const project = join(folder, template)

    test('is written by the installed package, and takes the tarball with it', () => {
      expect(packed.command('bridle', ['init', project, '--template', template])).toContain('npm run dev')
      const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      expect(dependencies.bridle).toMatch(/^file:vendor\/bridle-.*\.tgz$/)
      expect(existsSync(join(project, dependencies.bridle.slice('file:'.length)))).toBe(true)
    })

    test('installs, has no type errors, and passes its tests', () => {
      install(project)
      npm(project, 'run', 'types')
      expect(npm(project, 'test')).toMatch(/pass [1-9]\d*\n.*fail 0\b/)
      if (template === 'chat') expect(npm(project, 'run', 'build')).toContain('dist/')
    })
  })

  test('the agent answers, and remembers', async () => {
    const url = await serve(join(folder, 'agent'), ['node_modules/.bin/bridle', 'dev', '--port', '0'], {})
    expect(await ask(url, 'My name is Ada.')).toBe('Nice to meet you, Ada.')
    expect(await ask(url, 'What is my name?')).toBe('Your name is Ada.')
  })

  test('[O80] the steps of the image lead to a server that answers with a token', async () => {
    const context = join(folder, 'context')
    cpSync(join(folder, 'agent'), context, { recursive: true, filter: (path) => !path.includes('.bridle') })
    const steps = parseImageSteps(readFileSync(join(packed.installed, 'templates/Dockerfile'), 'utf8'))
    const image = playImageSteps(steps, { root: join(folder, 'image'), context, home: '/home/node', env })
    expect(existsSync(join(image.folder, 'node_modules/@types/node'))).toBe(false)
    // The address of all interfaces is for a container.
    const command = image.command.map((word) => word.replace('0.0.0.0', '127.0.0.1'))
    const url = await serve(image.folder, command, { ...image.env, FABRIC_HARNESS_API_TOKEN: 'secret', PORT: '0' })
    expect(await ask(url, 'My name is Ada.')).toBeUndefined()
    expect(await ask(url, 'My name is Ada.', 'secret')).toBe('Nice to meet you, Ada.')
    expect(existsSync(join(folder, 'image/home/node/data/bridle.sqlite'))).toBe(true)
  })
}
