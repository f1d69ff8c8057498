// Tutorials with pages, in a real browser.
import { afterEach, describe, expect, test } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium, needs } from '../needs.ts'
import { TutorialProject } from './project.suite.ts'

let project: TutorialProject | null = null
afterEach(async () => {
  await project?.end()
  project = null
})

const SCRIPT = `@script ${JSON.stringify([
  { text: 'I write it down. ' },
  { approve: 'write_file', args: { path: 'a.txt' }, reason: 'It changes a file.' },
  { text: 'Done.' },
])}`

describe.skipIf(needs('chromium'))('tutorials with a page', () => {
  test('react.md', async () => {
    project = await TutorialProject.create()
    await project.play('react.md')
    const browser = await launch(findChromium() as string)
    try {
      const page = await browser.newPage()
      await page.goto(project.pageUrl)
      await page.getByLabel('Prompt').fill(SCRIPT)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('It changes a file.', { exact: true }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText(/^I write it down. Done./).waitFor()
      expect(await page.getByText('write_file: complete').count()).toBe(1)
      await page.goto(`${project.pageUrl}/assistant.html`)
      await page.getByLabel('Prompt').fill('@script [{"text": "Hello from assistant-ui."}]')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Hello from assistant-ui.', { exact: true }).waitFor()
    } finally {
      await browser.close()
    }
  })
})
