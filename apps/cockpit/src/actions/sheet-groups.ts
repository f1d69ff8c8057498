import { ACTION_GROUPS, ACTION_IDS, type ActionGroup, actionRow } from './action-table.ts'

export interface SheetRow {
  readonly words: string
  readonly keys: string
}

export interface SheetGroup {
  readonly title: string
  readonly rows: readonly SheetRow[]
}

const titles: { readonly [group in ActionGroup]?: string } = { Approvals: 'Approvals, the marked card' }

/** Actions with keys, in the order of the table. Two actions of which only one can be done at a time may share a key. */
export const sheetGroups = (): readonly SheetGroup[] =>
  ACTION_GROUPS.flatMap((group) => {
    const rows = new Map<string, SheetRow>()
    for (const id of ACTION_IDS) {
      const { group: own, keys, words } = actionRow(id)
      if (own !== group || keys === undefined) continue
      const before = rows.get(keys)
      rows.set(keys, { keys, words: before ? `${before.words}, or ${words.toLowerCase()}` : words })
    }
    return rows.size === 0 ? [] : [{ title: titles[group] ?? group, rows: [...rows.values()] }]
  })
