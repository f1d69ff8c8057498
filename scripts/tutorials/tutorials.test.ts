// The tutorials, played word for word. `npm run test:long` also plays those that need a browser or nginx; claude.test.ts has claude.md.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { called, spoken } from '@bridle/server/models/chat-completions/chat-stub.suite'
import { afterEach, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { isThorough } from '../variants.ts'
import { parseTutorial } from './page.ts'
import { TutorialProject } from './project.suite.ts'
import { tryReactPages } from './react-page.suite.ts'
import { tryUsersPage } from './users-page.suite.ts'

let project: TutorialProject | null = null
afterEach(async () => {
  await project?.end()
  project = null
})

test('project.md', async () => {
  project = await TutorialProject.create()
  await project.play('project.md')
})

test('approvals.md, and a reader who misspells the edited arguments', async () => {
  project = await TutorialProject.create()
  await project.play('approvals.md')
  const run = (...commands: string[]) => ({ kind: 'commands', line: 0, commands }) as const
  await project.playSteps('a second session', [
    run('npx bridle run refunds "Refunds of Tuesday" --id tuesday --background --text'),
    { kind: 'until', line: 0, commands: ['npx bridle approvals --text | grep A-2'] },
    run(
      'npx bridle approvals --text',
      `! npx bridle approve tuesday apr-14 --args '{"order": "A-2", "cnts": 6000}' --text`,
      'npx bridle approvals --text',
    ),
    { kind: 'output', line: 0, lines: ['bridle: … cents', 'tuesday … apr-14 … refund', '"cents": 12000'] },
  ])
})

test('users.md, in a project with sessions of before there was a login', async () => {
  project = await TutorialProject.create()
  await project.playSteps('an earlier page', [
    { kind: 'server', line: 0, commands: ['npx bridle dev'] },
    { kind: 'commands', line: 0, commands: ['npx bridle run scripted --id early --text "Before the login"'] },
  ])
  await project.play('users.md')
  const { status } = await fetch(`${project.url}/sessions/early`, { headers: { authorization: 'Bearer token-of-ada' } })
  expect(status).toBe(404)
})

test('the app of embedding.md', async () => {
  // The port of the page becomes that of the project.
  project = await TutorialProject.create({ replaced: { 3000: '4317' } })
  const text = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8')
  // The files name themselves in their first line.
  const steps = parseTutorial(text.replaceAll(/^```ts\n\/\/ (\S+\.ts)$/gm, '```ts $1'))
  const kinds = [...Array(4).fill('file'), 'by-hand', 'server', 'output', 'commands', 'output', 'file', 'file', 'file']
  expect(steps.map(({ kind }) => kind)).toEqual(kinds)
  await project.playSteps('embedding.md', steps)
})

test('model.md', async () => {
  const ollama = await startProviderStub()
  project = await TutorialProject.create({ replaced: { 'http://127.0.0.1:11434': ollama.url } })
  ollama.reply(
    called('find_books', { word: 'sea' }),
    spoken('We have The Sea, the Sea and The Sea-Wolf.'),
    spoken('It is on shelf M-12, Ada.'),
    spoken('I do not know your name.'),
    spoken('The Sea-Wolf is on shelf L-3, Ada.'),
  )
  await project.play('model.md').finally(() => ollama.close())
  const [, listed, second, other, afterCrash] = ollama.requests
  expect(listed).toContain('M-12')
  for (const request of [second, afterCrash]) {
    expect(request).toContain('My name is Ada.')
    expect(request).toContain('M-12')
  }
  expect(other).not.toContain('Ada')
})

if (isThorough) {
  test.skipIf(needs('chromium'))('react.md', async () => {
    project = await TutorialProject.create()
    await project.play('react.md')
    await tryReactPages(project.pageUrl)
  })

  test.skipIf(needs('chromium'))('the page of users.md', async () => {
    project = await TutorialProject.create()
    await tryUsersPage(project)
  })

  test.skipIf(needs('nginx'))('going-live.md', async () => {
    project = await TutorialProject.create()
    await project.play('going-live.md')
    // A reader commits only what the page names, besides the project.
    const options = { cwd: project.folder, encoding: 'utf8' } as const
    execFileSync('git', ['init', '--quiet'], options)
    const left = execFileSync('git', ['ls-files', '--others', '--exclude-standard', '--directory'], options)
    const ofProject = ['.bridle/', '.gitignore', '.programs/', 'node_modules', 'package.json']
    expect(left.split('\n').filter((path) => path !== '' && !ofProject.includes(path))).toEqual([
      'bridle.env',
      'bridle.service',
      'nginx.conf',
    ])
  })
}
