// The timeline's page: calls on a shared axis, and the selected one beside them.
import { agent } from 'bridle'
import { expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const event = (type: string, payload: object) => ({ event: { type, payload } })
const begin = (id: string, name: string, args: object, more: object = {}) =>
  event('tool_call', { tool_call_id: id, name, arguments: args, ...more })
const end = (id: string, name: string, more: object = {}) =>
  event('tool_outcome', {
    ...{ tool_call_id: id, tool_name: name, outcome_type: 'ToolExecutionResult', status: 'ok', result: `of ${id}` },
    ...more,
  })
const failed = { status: 'error', outcome_type: 'ToolFailure', error: '2 failed, 61 passed' }

/** Two waves, a subagent with calls that repeat, a mark, and a call that waits. */
const script = [
  event('tool_batch', { tool_call_ids: ['one', 'two'] }),
  begin('one', 'read_file', { path: 'a.ts' }),
  begin('two', 'read_file', { path: 'b.ts' }),
  end('two', 'read_file', failed),
  { sleepMs: 20 },
  end('one', 'read_file'),
  { checkpoint: 'half of it' },
  event('subagent_event', { agent_id: 'helper', status: 'running' }),
  ...['x', 'y', 'z'].flatMap((id) => [
    begin(id, 'grep', { path: `src/${id}` }, { agent_id: 'helper' }),
    end(id, 'grep', { agent_id: 'helper' }),
  ]),
  event('antahkarana', { confidence: 0.78, layers: ['intent', 'evidence'], trace_id: 'ak-41c0' }),
  event('tool_batch', { tool_call_ids: ['asked'] }),
  { approve: 'write_file', id: 'asked', args: { path: 'c.ts' }, reason: 'it writes' },
]

/** Two thousand calls at once. */
const busy = agent({
  name: 'busy',
  run: async ({ session }) => {
    const calls = Array.from({ length: 2_000 }, (_, n) => session.tool(`tool-${n}`, { n }, () => n, { effect: 'pure' }))
    await Promise.all(calls)
  },
})

describeCockpit(
  'the timeline',
  (world) => {
    test('[C45] [C46] [C50] [C53] has a row for each call, filters them, and shows the selected one', async () => {
      await world.play('times', script)
      const page = await world.open('/s/times?agent=scripted')
      await page.getByRole('link', { name: 'Full page' }).click()
      const wave = page.getByRole('group', { name: 'Wave 1' })
      await wave.getByRole('button', { name: /^ok\s*read_file/ }).waitFor()
      await page
        .getByRole('group', { name: 'Wave 2' })
        .getByRole('button', { name: /waiting.*write_file/ })
        .waitFor()
      await page.getByRole('region', { name: 'Guardrail' }).getByText('0.78').waitFor()
      // Three of a kind are one row, which opens.
      const lane = page.getByRole('group', { name: 'helper' })
      await lane.getByRole('button', { name: /grep ×3/ }).click()
      expect(await lane.getByRole('button').count()).toBe(4)
      await page.getByRole('button', { name: '1 error' }).click()
      expect(await page.locator('.times-row').count()).toBe(1)
      await page.locator('.times-row').click()
      const panel = page.getByRole('complementary', { name: 'Selected call' })
      await panel.getByText('2 failed, 61 passed').waitFor()
      await panel.getByText('1, parallel with 1 other').waitFor()
      await panel.getByText('"path": "b.ts"').waitFor()
      await panel.getByText('of two').waitFor()
      const address = new URL(page.url())
      expect(Object.fromEntries(address.searchParams)).toMatchObject({
        view: 'timeline',
        outcome: 'error',
        call: 'two',
      })
      // The same address shows the same to somebody else; Escape closes the call, and the arrows reach the rows.
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: '6 calls' }).click()
      for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
      await panel.getByText('"path": "b.ts"').waitFor()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await panel.getByText('"path": "a.ts"').waitFor()
      const begun = new URL(page.url()).searchParams.get('event')
      // A mark says what happened. The question stands close by: a second click goes on to the other mark of the place.
      const mark = page.getByRole('button', { name: /half of it/ })
      await mark.click()
      await expect.poll(() => new URL(page.url()).searchParams.get('call')).toBe(null)
      if ((await panel.getByText('session_checkpoint').count()) === 0) await mark.click()
      await panel.getByText('session_checkpoint').waitFor()
      await page.keyboard.press('Escape')
      // The window: keys, the wheel, a drag over the chart, and one over the overview.
      await page.keyboard.press('+')
      await page.getByText('150 %').waitFor()
      await page.locator('.times-rows').hover()
      await page.keyboard.down('Control')
      await page.mouse.wheel(0, -100)
      await page.keyboard.up('Control')
      await page.getByText('225 %').waitFor()
      await page.keyboard.press('0')
      const { x, y, width } = (await page.locator('.times-overview').boundingBox())!
      await page.mouse.move(x + width * 0.5, y + 20)
      await page.mouse.down()
      await page.mouse.move(x + width * 0.75, y + 20, { steps: 3 })
      await page.mouse.up()
      await page.getByText('400 %').waitFor()
      const left = async (): Promise<number> =>
        Number(/left: ([\d.]+)%/.exec((await page.locator('.brush').getAttribute('style')) ?? '')?.[1])
      const before = await left()
      const rows = (await page.locator('.times-rows').boundingBox())!
      await page.mouse.move(rows.x + rows.width - 100, rows.y + 20)
      await page.mouse.down()
      await page.mouse.move(rows.x + rows.width - 200, rows.y + 20, { steps: 3 })
      await page.mouse.up()
      await expect.poll(left).toBeGreaterThan(before)
      // The drag has selected nothing.
      expect(new URL(page.url()).searchParams.get('call')).toBe(null)
      // A phone: the chart scrolls in its own box, and the call is a sheet.
      await page.setViewportSize({ width: 390, height: 844 })
      const legend = (await page.getByText('Waves are the agent').boundingBox())!
      expect(legend.x + legend.width).toBeLessThanOrEqual(390)
      await expectNoOverflow(page)
      await wave.getByRole('button', { name: /error.*read_file/ }).click()
      await page.getByRole('dialog', { name: 'Selected call' }).getByText('of two').waitFor()
      await expectNoOverflow(page)
      await page.getByRole('link', { name: 'Show in thread' }).click()
      await page.locator('.thread [data-call="two"]').waitFor()
      // The past: where the first call had only begun, there is no other, and it runs.
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(new URL(`/s/times?agent=scripted&view=timeline&at=${begun}`, world.url).href)
      await page.getByRole('button', { name: '1 call', exact: true }).waitFor()
      await wave.getByRole('button', { name: /running.*read_file.*a\.ts/ }).waitFor()
    })

    longTest('[C46] [C53] two thousand calls; a branch has what was before one of them', async () => {
      await world.ask('busy', 'many', 'Begin.')
      const page = await world.open('/s/many?agent=busy&view=timeline')
      await page.getByRole('button', { name: '2,000 calls' }).waitFor()
      expect(await page.locator('.times-row').count()).toBeLessThan(100)
      await page.locator('.times-scroll').evaluate('document.querySelector(".times-scroll").scrollTop = 40_000')
      await page.locator('.times-row').nth(20).click()
      await page.locator('.times-row.sel').waitFor()
      const seq = new URL(page.url()).searchParams.get('event')
      await page.getByRole('button', { name: /Branch before it/ }).click()
      await page.getByText(`it has everything before event ${seq}`).waitFor()
      expect(new URL(page.url()).pathname).not.toBe('/s/many')
      await page.goto(`${page.url()}&view=timeline`)
      await page.getByRole('button', { name: /^[\d,]+ calls$/ }).waitFor()
      expect(await page.getByRole('button', { name: '2,000 calls' }).count()).toBe(0)
    })

    longTest('text of an agent is text, and widens no page', async () => {
      const long = `${'long'.repeat(200)} <img src=x onerror=alert(1)>\u202eevil`
      await world.play('hostile', [
        event('subagent_event', { agent_id: '__proto__', status: long, agent: long }),
        begin('h', long, { [long]: long }, { agent_id: '__proto__' }),
        end('h', long, { ...failed, error: long, agent_id: '__proto__' }),
        { checkpoint: long },
        event('antahkarana', { confidence: 1, layers: { [long]: 1 }, trace_id: long }),
      ])
      const page = await world.open('/s/hostile?agent=scripted&view=timeline&call=h')
      await page.locator('.times-call').getByText('⟨U+202E⟩evil').first().waitFor()
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 })
        await expectNoOverflow(page)
      }
      expect(await page.locator('.times img').count()).toBe(0)
    })
  },
  { agents: [busy] },
)
