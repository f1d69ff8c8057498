// The knowledge and the work of an agent: context, memory, artifacts, files, and the life of a background session.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from 'bridle'
import { afterAll, expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, expectNoSideScroll, longTest } from './browser.suite.ts'

const LONG = `${'long'.repeat(200)} <img src=x onerror=alert(1)>\u202eevil`

describeCockpit('the work of a session', (world) => {
  test('[C427] context, citations, instructions, guardrail and memory are shown as told, and a value is accepted, changed or rejected', async () => {
    await world.play('knows', [
      { usage: { input_tokens: 900, output_tokens: 100, cost_usd: 0.5, context_usage_pct: 46 } },
      { event: { type: 'context_warning', payload: { message: 'Nearly full', usage_pct: 81 } } },
      {
        event: {
          type: 'retrieval',
          payload: {
            query: 'retry',
            citations: [
              { id: '1', title: 'Handbook', url: 'https://example.org/h' },
              { title: LONG, url: 'javascript:alert(1)' },
            ],
          },
        },
      },
      {
        event: { type: 'antahkarana', payload: { trace_id: 'ak-1', confidence: 0.78, layers: ['intent', 'evidence'] } },
      },
      {
        event: {
          type: 'instructions_loaded',
          payload: {
            files: [{ path: 'CLAUDE.md', kind: 'instructions', digest: 'ab12', bytes: 2_048 }],
            left_out: [{ path: LONG.slice(400), reason: 'is a link' }],
            ignored: [{ path: '.claude/agents/evil.md', keys: ['hooks', 'permissionMode'] }],
          },
        },
      },
      { artifact: { name: 'budget', content: '{"attempts":3}', kind: 'memory_proposal' } },
      { artifact: { name: 'tone', content: 'short', kind: 'memory_proposal' } },
      { artifact: { name: 'wrong', content: LONG, kind: 'memory_proposal' } },
      { text: 'done' },
    ])
    const page = await world.open('/s/knows?tab=context&wide=1')
    await page.getByRole('meter', { name: 'Context window' }).waitFor()
    await page.getByRole('region', { name: 'Context window' }).getByText('Nearly full').waitFor()
    await page.getByRole('region', { name: 'Guardrail' }).getByText('intent, evidence').waitFor()
    const instructions = page.getByRole('region', { name: 'Instructions' })
    await instructions.getByText('CLAUDE.md').waitFor()
    await instructions.getByText('Instructions, 2.0 kB').waitFor()
    await instructions.getByText('is a link').waitFor()
    await instructions.getByText('1 file with settings that have no effect').click()
    await instructions.getByText('hooks, permissionMode').waitFor()
    const sources = page.getByRole('region', { name: 'Citations', exact: true })
    const links = sources.locator('a:not(.evno)')
    await links.first().waitFor()
    expect(await links.count()).toBe(1)
    expect(await links.first().getAttribute('href')).toBe('https://example.org/h')
    const memory = page.getByRole('region', { name: 'Memory' })
    await memory.getByRole('form', { name: 'Proposal wrong' }).getByRole('button', { name: 'Reject' }).click()
    await memory.getByRole('form', { name: 'Proposal wrong' }).waitFor({ state: 'detached' })
    const tone = memory.getByRole('form', { name: 'Proposal tone' })
    await tone.getByLabel('Key').fill('style')
    await tone.getByLabel('Value').fill('plain')
    await tone.getByRole('button', { name: 'Accept as changed' }).click()
    await memory.getByRole('form', { name: 'Proposal budget' }).getByRole('button', { name: 'Accept' }).click()
    await memory.getByText('{"attempts":3}').waitFor()
    await memory.getByText('plain', { exact: true }).waitFor()
    // The form has the same words as the row that takes its place.
    await tone.waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await world.client.memory('knows')).memory.map(({ key, value }) => [key, value]))
      .toContainEqual(['style', 'plain'])
    const { proposals } = await world.client.memory('knows')
    expect(proposals.find(({ key }) => key === 'wrong')?.status).toBe('rejected')
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await expectNoOverflow(page)
      await expectNoSideScroll(page)
    }
  })

  test('a background session is paused, resumed and stopped, and its artifacts open by their type', async () => {
    const script = [
      { artifact: { name: 'report.md', content: `# Report\n${LONG}` } },
      { checkpoint: 'half of it' },
      { text: 'on and on', chunks: 9, everyMs: 1_000 },
      { sleepMs: 60_000 },
    ]
    await world.client.startBackground({
      agent: 'scripted',
      session_id: 'bg',
      title: 'Long work',
      prompt: `@script ${JSON.stringify(script)}`,
      max_retries: 2,
    })
    const page = await world.open('/s/bg?tab=work')
    const life = page.getByRole('region', { name: 'Background session' })
    await life.getByText('1 of 3').waitFor()
    await page.getByRole('region', { name: 'Checkpoints' }).getByText('half of it').waitFor()
    await page.getByRole('button', { name: /report\.md/ }).click()
    const artifacts = page.getByRole('region', { name: 'Artifacts' })
    await artifacts.getByText('# Report').waitFor()
    const download = page.waitForEvent('download')
    await artifacts.getByRole('link', { name: 'Save the file' }).click()
    expect((await download).suggestedFilename()).toBe('report.md')
    await expectNoSideScroll(page)
    await life.getByRole('button', { name: 'Pause' }).click()
    await life.getByText('Paused').waitFor()
    expect(await page.locator('.caret').count()).toBe(0)
    await life.getByRole('button', { name: 'Resume' }).click()
    await life.getByText('Running').waitFor()
    // Background work ends with its queue: the button says so, and the prompt is not lost.
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.fill('And then this.')
    await box.press('Enter')
    await life.getByRole('button', { name: 'Stop and take back 1 queued' }).click()
    await life.getByText('Cancelled').waitFor()
    await expect.poll(() => box.inputValue()).toBe('And then this.')
    expect(await life.getByRole('button').count()).toBe(0)
  })
})

/** A picture of one dot, in the one format whose bytes can all be letters. */
const DOT = `BM${String.fromCharCode(
  ...[58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0],
  ...Array.from({ length: 28 }, () => 0),
)}`
const painter = agent({
  name: 'painter',
  run: async ({ session }) => {
    await session.artifact('dot.bmp', DOT, 'image/bmp')
  },
})

const project = mkdtempSync(join(tmpdir(), 'bridle-cockpit-project-'))
afterAll(() => rmSync(project, { recursive: true, force: true }))

describeCockpit(
  'the files of a session',
  (world) => {
    test('shows what changed line by line, and all files folder by folder', async () => {
      writeFileSync(join(project, 'retry.ts'), 'export const attempts = 5\n')
      writeFileSync(join(project, 'gone.txt'), 'gone\n')
      const prompt = `@script ${JSON.stringify([{ text: 'done' }])}`
      const body = { agent: 'scripted', session_id: 'files', prompt, workspace: { mode: 'write', source: project } }
      const headers = { 'content-type': 'application/json' }
      const answer = await world.client.request('sessions', { method: 'POST', headers, body: JSON.stringify(body) })
      const { workspace_path: path } = (await answer.json()) as { workspace_path: string }
      writeFileSync(join(path, 'retry.ts'), 'export const attempts = 3\n')
      writeFileSync(join(path, `<b>${'n'.repeat(120)}.txt`), 'new\n')
      rmSync(join(path, 'gone.txt'))
      const page = await world.open('/s/files?tab=work')
      const files = page.getByRole('region', { name: 'Workspace' })
      await files.getByText('3 changes').waitFor()
      await files.getByRole('button', { name: /modified.*retry\.ts/ }).click()
      await files.getByText('export const attempts = 5').waitFor()
      await files.getByText('export const attempts = 3').waitFor()
      await files.getByRole('button', { name: /deleted.*gone\.txt/ }).waitFor()
      await files.getByRole('button', { name: 'All files' }).click()
      await files.getByRole('button', { name: /^file.*retry\.ts/ }).click()
      await expect.poll(() => files.getByText('export const attempts = 3').count()).toBe(2)
      await expectNoSideScroll(page)
    })

    longTest('[H111] a chat gets its files by the form, and shows what changed', async () => {
      const page = await world.open('/')
      await page.getByText('Live', { exact: true }).waitFor()
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog', { name: 'New session' })
      await dialog.getByLabel('Agent').selectOption('scripted')
      await dialog.getByLabel('Title').fill('With files')
      await dialog.getByLabel('Files').selectOption(project)
      await dialog.getByLabel('Changes are made').selectOption('in the folder itself')
      // The folder is listed, to begin with. The page says why nobody works in it.
      await dialog.getByRole('button', { name: 'Start' }).click()
      await dialog.getByRole('alert').getByText('Use the mode write.').waitFor()
      await dialog.getByLabel('Changes are made').selectOption('on a branch or in a copy')
      await dialog.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL(/\/s\//)
      const { sessions } = await world.client.sessions({ search: 'With files' })
      const { workspace_path: path = '', kind } = await world.client.session(sessions[0]?.id ?? '')
      expect(kind).toBe('chat')
      writeFileSync(join(path, 'retry.ts'), 'export const attempts = 7\n')
      await page.goto(`${page.url().split('?')[0]}?tab=work`)
      const files = page.getByRole('region', { name: 'Workspace' })
      await files.getByRole('button', { name: /modified.*retry\.ts/ }).click()
      await files.getByText('export const attempts = 7').waitFor()
      await expectNoSideScroll(page)
    })

    longTest('a picture that an agent published is shown as a picture', async () => {
      await world.ask('painter', 'painting', 'Paint.')
      const page = await world.open('/s/painting?agent=painter&tab=work')
      await page.getByRole('button', { name: /dot\.bmp/ }).click()
      const picture = page.getByRole('img', { name: 'dot.bmp' })
      await picture.waitFor()
      await expect.poll(() => page.evaluate("document.querySelector('.preview img').naturalWidth")).toBe(1)
      await page.getByRole('log', { name: 'Conversation' }).getByRole('button', { name: 'Show' }).click()
      await expect.poll(() => picture.count()).toBe(2)
    })
  },
  { workspaces: { sources: [project] }, agents: [painter] },
)
