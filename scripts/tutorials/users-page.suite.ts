// The page of users.md in a real browser: its login, and an app that is away for a while.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium } from '../needs.ts'
import { parseTutorial, type TutorialStep } from './page.ts'
import type { TutorialProject } from './project.suite.ts'

const stepsOf = (page: string) =>
  parseTutorial(readFileSync(join(import.meta.dirname, '../../docs/tutorials', page), 'utf8'))
const filesOf = (page: string, paths: readonly string[]) =>
  stepsOf(page).filter((step) => step.kind === 'file' && paths.includes(step.path))
const APP: TutorialStep = { kind: 'server', line: 0, commands: ['node app.ts'] }

export const tryUsersPage = async (project: TutorialProject): Promise<void> => {
  const own = ['agents/assistant.ts', 'login.ts', 'app.ts', 'src/threads.tsx', 'src/thread.tsx', 'src/main.tsx']
  // The page says what is other than in react.md.
  const [, proxy = ''] =
    /`(proxy: \{.*\})`/.exec(readFileSync(join(import.meta.dirname, '../../docs/tutorials/users.md'), 'utf8')) ?? []
  const rest = filesOf('react.md', ['index.html', 'vite.config.ts']).map((step) =>
    step.kind === 'file' ? { ...step, content: step.content.replace(/proxy: \{.*\} \}/, `${proxy} }`) } : step,
  )
  const vite: TutorialStep = { kind: 'page', line: 0, commands: ['npx vite'] }
  await project.playSteps('users.md', [...filesOf('users.md', own), ...rest, APP, vite])
  const browser = await launch(findChromium() as string)
  try {
    const context = await browser.newContext()
    const page = await context.newPage()
    const signIn = page.getByRole('button', { name: 'Sign in' })
    await page.goto(project.pageUrl)
    await page.getByLabel('Name').fill('ada')
    await signIn.click()
    await page.getByText('Welcome, ada.').waitFor()
    await page.goto(project.pageUrl)
    await page.getByRole('button', { name: 'New thread' }).first().click()
    await page.getByLabel('Prompt').fill('roses')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('You said: roses.').waitFor()

    // The server refuses for good: the page says why, and takes no prompt that nobody would get.
    const refused = await context.newPage()
    const refusal = { code: 4004, reason: 'There is no agent assistent; there is assistant.' }
    await refused.routeWebSocket(/\/ws\?/, (socket) => socket.close(refusal))
    await refused.goto(project.pageUrl)
    await refused.getByRole('button', { name: 'New thread' }).first().click()
    await refused.getByText(refusal.reason, { exact: true }).waitFor()
    await refused.getByRole('button', { name: 'Send', disabled: true }).waitFor()
    expect(await refused.getByLabel('Prompt').isDisabled()).toBe(true)
    await refused.close()

    await project.playSteps('users.md', [
      { kind: 'commands', line: 0, commands: ['kill -9 $(cat .bridle-users/owner)'] },
    ])
    await page.getByText('Connecting…').waitFor()
    await page.getByLabel('Prompt').fill('tulips')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Held until the connection is back: 1').waitFor()
    expect(await signIn.count()).toBe(0)
    await page.reload()
    await page.getByRole('alert').first().waitFor()
    expect(await signIn.count()).toBe(0)

    // The toy login has forgotten everybody.
    await project.playSteps('users.md', [APP])
    await signIn.waitFor()
  } finally {
    await browser.close()
  }
}
