// The pages of react.md in a real browser, as their reader uses them.
import type { Locator, WebSocketRoute } from 'playwright-core'
import { expect } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium } from '../needs.ts'

const SCRIPT = `@script ${JSON.stringify([
  { text: 'I write it down. ' },
  { approve: 'write_file', args: { path: 'a.txt' }, reason: 'It changes a file.' },
  { text: 'Done.' },
])}`

/** The card says which tool asks, on both pages. */
const ASKS = 'write_file: It changes a file.'

const PHONE = { width: 375, height: 667 }

export const tryReactPages = async (url: string): Promise<void> => {
  const browser = await launch(findChromium() as string)
  try {
    let page = await browser.newPage()
    await page.goto(url)
    await page.getByLabel('Prompt').fill(SCRIPT)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(ASKS, { exact: true }).waitFor()
    await page.getByText('write_file: needs approval').waitFor()
    // The server goes away during the run: a Stop would not reach it.
    const sockets: WebSocketRoute[] = []
    await page.routeWebSocket(/\/ws\?/, (socket) => {
      if (sockets.push(socket) === 1) socket.connectToServer()
      else void socket.close()
    })
    await page.reload()
    const stop = page.getByRole('button', { name: 'Stop' })
    await stop.waitFor()
    expect(await stop.isDisabled()).toBe(false)
    await sockets[0]?.close()
    await page.getByRole('button', { name: 'Stop', disabled: true }).waitFor()
    await page.close()
    page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/^I write it down. Done./).waitFor()
    expect(await page.getByText('write_file: complete').count()).toBe(1)
    await page.goto(`${url}/assistant.html`)
    await page.getByLabel('Prompt').fill('@script [{"text": "Hello from assistant-ui."}]')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Hello from assistant-ui.', { exact: true }).waitFor()
    await page.getByLabel('Prompt').fill(SCRIPT)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(ASKS, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('I write it down. Done.', { exact: true }).waitFor()
    for (const address of [url, `${url}/assistant.html`]) {
      const phone = await browser.newPage({ viewport: PHONE })
      await phone.goto(address)
      await phone.getByLabel('Prompt').fill(`@script [{"text": "${'w'.repeat(200)}"}, {"fail": "No more words."}]`)
      await phone.getByRole('button', { name: 'Send' }).click()
      await phone.getByText('No more words.', { exact: true }).waitFor()
      const widths = `[...document.querySelectorAll('*')].map(({ scrollWidth }) => scrollWidth)`
      expect(await phone.evaluate(`Math.max(...${widths})`)).toBe(PHONE.width)
      // The page follows an answer that is longer than the screen.
      for (const end of ['The first end.', 'The second end.']) {
        await phone
          .getByLabel('Prompt')
          .fill(`@script [{"text": "${'many words '.repeat(150)}${end}", "chunks": 20, "everyMs": 10}]`)
        await phone.keyboard.press('Enter')
        const answer = phone.getByText(new RegExp(`^many words .*${end}$`)).last()
        await answer.waitFor()
        for (const shown of [answer, phone.getByLabel('Prompt')])
          await expect.poll(() => bottomOf(shown)).toBeLessThanOrEqual(PHONE.height)
      }
      // The server is away.
      await phone.routeWebSocket(/\/ws\?/, (socket) => socket.close())
      await phone.reload()
      await phone.getByLabel('Prompt').fill('Later')
      await phone.getByRole('button', { name: 'Send' }).click()
      await phone.getByText('Held until the connection is back: 1').waitFor()
      // The server refuses for good: the page says why, and does not go on connecting.
      const refusal = { code: 4004, reason: 'There is no agent helpr; there is helper.' }
      await phone.routeWebSocket(/\/ws\?/, (socket) => socket.close(refusal))
      await phone.reload()
      await phone.getByText(refusal.reason, { exact: true }).first().waitFor()
      expect(await phone.getByText('Connecting…').count()).toBe(0)
      // Nobody would get another prompt.
      await phone.getByRole('button', { name: 'Send', disabled: true }).waitFor()
      expect(await phone.getByLabel('Prompt').isDisabled()).toBe(true)
    }
  } finally {
    await browser.close()
  }
}

const bottomOf = async (shown: Locator): Promise<number> => {
  const { y, height } = (await shown.boundingBox()) ?? { y: Number.NaN, height: 0 }
  return Math.floor(y + height)
}
