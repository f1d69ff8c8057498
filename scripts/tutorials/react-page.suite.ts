// The pages of react.md in a real browser, as their reader uses them.
import { expect } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium } from '../needs.ts'

const SCRIPT = `@script ${JSON.stringify([
  { text: 'I write it down. ' },
  { approve: 'write_file', args: { path: 'a.txt' }, reason: 'It changes a file.' },
  { text: 'Done.' },
])}`

export const tryReactPages = async (url: string): Promise<void> => {
  const browser = await launch(findChromium() as string)
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByLabel('Prompt').fill(SCRIPT)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('It changes a file.', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/^I write it down. Done./).waitFor()
    expect(await page.getByText('write_file: complete').count()).toBe(1)
    await page.goto(`${url}/assistant.html`)
    await page.getByLabel('Prompt').fill('@script [{"text": "Hello from assistant-ui."}]')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Hello from assistant-ui.', { exact: true }).waitFor()
  } finally {
    await browser.close()
  }
}
