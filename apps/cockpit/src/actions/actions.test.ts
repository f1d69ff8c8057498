import { afterEach, describe, expect, test } from 'vitest'
import { INSPECTOR_TABS } from '../session/inspector/use-selection.ts'
import type { SessionActs } from '../session/use-acts.ts'
import type { SessionAct } from '../sessions/acts/session-acts.ts'
import { pageLinks } from '../shell/pages.ts'
import type { Theme } from '../shell/theme.ts'
import { offerActions, offeredActions, runAction } from './action-store.ts'
import { ACTION_IDS, type ActionId, actionRow, actionTable } from './action-table.ts'
import { keyAction } from './key-actions.ts'
import { keyText } from './key-text.ts'
import { sheetGroups } from './sheet-groups.ts'

/** Every act of the app by the place that has it. A further act does not compile until it has an action. */
const sessionActs: { readonly [act in keyof SessionActs]: ActionId } = {
  branch: 'session.branch',
  branchAfter: 'session.branch_after',
  edit: 'message.edit',
  reload: 'message.reload',
  create: 'session.create',
  stop: 'session.stop',
  pause: 'session.pause',
  resume: 'session.resume',
  unqueue: 'message.unqueue',
}
const listActs: { readonly [act in SessionAct]: ActionId } = {
  pause: 'list.pause',
  resume: 'list.resume',
  cancel: 'list.cancel',
  archive: 'list.archive',
  unarchive: 'list.unarchive',
}
const themes: { readonly [theme in Theme]: ActionId } = {
  system: 'theme.system',
  light: 'theme.light',
  dark: 'theme.dark',
}

const sources = Object.entries(
  import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
)
  .map(([path, text]) => ({ file: path.replace(/^\.\.\//, '').replace(/^\.\//, 'actions/'), text }))
  .filter(({ file }) => !/\.test\.ts$|action-table\.ts$/.test(file))

describe('[C63] every action is in one table', () => {
  test('each act of a session, a list, a page and a theme is one of them', () => {
    const ids = [...Object.values(sessionActs), ...Object.values(listActs), ...Object.values(themes)]
    expect(ids.filter((id) => !(id in actionTable))).toEqual([])
    expect(pageLinks.map(({ action, keys }) => [action, keys])).toEqual(
      pageLinks.map(({ action }) => [action, actionRow(action).keys]),
    )
    expect(INSPECTOR_TABS.length).toBeGreaterThan(0)
  })

  test('each action is offered by some part of the app, and each offer is in the table', () => {
    const offered = new Set(
      sources.flatMap(({ text }) => [
        ...[...text.matchAll(/(?:useAction|useActionList|offerActions)\(\s*'([\w.]+)'/g)].map(([, id]) => id),
      ]),
    )
    for (const { action } of pageLinks) offered.add(action)
    expect([...offered].sort()).toEqual([...ACTION_IDS].sort())
  })

  test('the keys on buttons come from the table', () => {
    const written = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/keyHint="([^"]+)"/g)].map(([, keys]) => `${file}: ${keys}`),
    )
    // The new session's button and its key are the list's; voice is silenced only while it speaks.
    expect(written.sort()).toEqual(['session/voice/voice-bar.tsx: Esc', 'sessions/sessions-page.tsx: N'])
  })

  test('no other part of a page listens for keys of its own on the whole window', () => {
    const listeners = sources.filter(({ text }) => /addEventListener\('keydown'/.test(text)).map(({ file }) => file)
    expect(listeners.sort()).toEqual([
      'actions/use-action-keys.ts',
      // Enter belongs to the element with the focus: this listener acts where none has it.
      'inbox/use-inbox-keys.ts',
      // Escape belongs to the innermost thing that it can end: these look at what is open.
      'session/composer/composer.tsx',
      'session/voice/voice-bar.tsx',
    ])
  })
})

describe('[C64] keys', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  test.each([
    ['k with Ctrl', { ...none, key: 'k', ctrlKey: true }, 'Ctrl+k'],
    ['k with the command key', { ...none, key: 'K', metaKey: true }, 'Ctrl+k'],
    ['x with Shift', { ...none, key: 'X', shiftKey: true }, 'Shift+x'],
    ['a sign that needs Shift', { ...none, key: '?', shiftKey: true }, '?'],
    ['the point with Ctrl', { ...none, key: '.', ctrlKey: true }, 'Ctrl+.'],
    ['Enter with Alt and Shift', { ...none, key: 'Enter', altKey: true, shiftKey: true }, 'Alt+Shift+Enter'],
  ])('%s', (_name, event, text) => {
    expect(keyText(event)).toBe(text)
  })

  const free = { isTyping: false, isBehind: false, isOnElement: false }
  const offered = (['palette.open', 'page.inbox', 'session.pause', 'approval.approve', 'list.next'] as const).map(
    (id) => ({ id, run: () => id }),
  )
  test.each([
    ['one after the other', 'i', 'g', free, 'page.inbox'],
    ['the second alone', 'i', 'x', free, undefined],
    ['one key', 'p', 'g', free, 'session.pause'],
    ['while typing', 'p', '', { ...free, isTyping: true }, undefined],
    ['a key that works while typing', 'Ctrl+k', '', { ...free, isTyping: true }, 'palette.open'],
    ['behind a dialog', 'Ctrl+k', '', { ...free, isBehind: true }, undefined],
    ['a key that only its card reads', 'a', '', free, undefined],
    ['an action that nobody offers', 'n', '', free, undefined],
    ['one after the other that nobody offers: its second key alone does nothing', 'd', 'g', free, undefined],
  ])('%s', (_name, key, before, place, id) => {
    expect(keyAction(offered, key, before, place)?.id).toBe(id)
  })

  test('[C64] a card that offers its keys to the page takes them wherever nobody types', () => {
    const cards = [
      { id: 'approval.deny' as const, isPageWide: true, run: () => 'first' },
      { id: 'approval.deny' as const, run: () => 'second' },
    ]
    expect(keyAction(cards, 'd', '', free)?.run()).toBe('first')
    expect(keyAction(cards, 'd', '', { ...free, isTyping: true })).toBeUndefined()
    expect(keyAction(cards, 'd', 'g', free)).toBeUndefined()
    expect(keyAction(cards.slice(1), 'd', '', free)).toBeUndefined()
  })

  test('[C424] an offer may have keys of its own, and Enter belongs to the element with the focus', () => {
    const card = [
      { id: 'question.select' as const, isPageWide: true, keys: '1', run: () => 'first' },
      { id: 'question.select' as const, isPageWide: true, keys: '2', run: () => 'second' },
      { id: 'question.answer' as const, isPageWide: true, run: () => 'answered' },
    ]
    const pressed = (key: string, place = free) => keyAction(card, key, '', place)?.run()
    expect(['1', '2', '3', '1–9', 'Enter'].map((key) => pressed(key))).toEqual([
      ...['first', 'second', undefined, undefined],
      'answered',
    ])
    expect(pressed('Enter', { ...free, isOnElement: true })).toBeUndefined()
    expect(pressed('2', { ...free, isOnElement: true })).toBe('second')
    expect(pressed('2', { ...free, isTyping: true })).toBeUndefined()
  })

  test('no two actions have the same keys, except those that cannot be done at the same time', () => {
    const byKeys = Map.groupBy(
      ACTION_IDS.filter((id) => actionRow(id).keys !== undefined && actionRow(id).scope !== 'part'),
      (id) => actionRow(id).keys,
    )
    const shared = [...byKeys.values()].filter((ids) => ids.length > 1)
    // A list is never on the page of a session. In the past of a timeline, keys are for the selected call first: the table has it first.
    expect(shared).toEqual([
      ['list.clear', 'timeline.close', 'past.leave'],
      ['timeline.branch', 'past.branch'],
      ['session.pause', 'session.resume'],
    ])
  })

  test('[C66] the sheet has every key of the table', () => {
    const shown = sheetGroups().flatMap(({ rows }) => rows.map(({ keys }) => keys))
    const all = ACTION_IDS.flatMap((id) => actionRow(id).keys ?? [])
    expect([...new Set(shown)].sort()).toEqual([...new Set(all)].sort())
    expect(sheetGroups().find(({ title }) => title === 'Session')?.rows).toContainEqual({
      keys: 'p',
      words: 'Pause, or resume',
    })
  })
})

describe('offers', () => {
  const taken: (() => void)[] = []
  afterEach(() => {
    for (const takeBack of taken.splice(0)) takeBack()
    expect(offeredActions()).toEqual([])
  })

  test('the newest offer runs, and the one before it when that is taken back', () => {
    const ran: string[] = []
    taken.push(offerActions('list.next', [{ run: () => ran.push('sessions') }]))
    const takeBack = offerActions('list.next', [{ run: () => ran.push('inbox') }])
    expect(runAction('list.next')).toBe(true)
    takeBack()
    expect(runAction('list.next')).toBe(true)
    expect(runAction('list.previous')).toBe(false)
    expect(ran).toEqual(['inbox', 'sessions'])
  })
})
