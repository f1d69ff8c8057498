// Search and filters. They live in the address, so that a reload and a link show the same list.
import { STATUS_NAMES, statusWords } from 'bridle/words'
import { useEffect, useMemo, useState } from 'react'
import { useLive } from '../../server/server-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { FilterChip, type FilterOption } from './filter-chip.tsx'
import type { FilterName, SessionQuery } from './session-query.ts'

interface FilterBarProps {
  readonly query: SessionQuery
  readonly onChange: (name: FilterName, value: string) => void
  readonly children: React.ReactNode
}

const options = (...values: readonly string[]): readonly FilterOption[] =>
  values.map((value) => ({ value, word: value }))
const statuses = STATUS_NAMES.map((value) => ({ value, word: statusWords(value).word }))
const kinds = options('chat', 'background')
const flags = options('waiting', 'stuck', 'budget', 'degraded')
const spans: readonly FilterOption[] = [
  { value: 'hour', word: 'last hour' },
  { value: 'day', word: 'last day' },
  { value: 'week', word: 'last 7 days' },
  { value: 'month', word: 'last 30 days' },
]
const archives: readonly FilterOption[] = [
  { value: 'true', word: 'only' },
  { value: 'all', word: 'shown too' },
]

export const FilterBar = ({ query, onChange, children }: FilterBarProps) => {
  const sessions = useLive((state) => state.sessions)
  const agents = useMemo(() => options(...new Set(sessions.map(({ agent }) => agent)).values()), [sessions])
  const engines = useMemo(() => options(...new Set(sessions.map(({ engine }) => engine)).values()), [sessions])
  const chip = (name: FilterName, label: string, choices: readonly FilterOption[]) => (
    <FilterChip label={label} value={query[name] ?? ''} options={choices} onChange={(value) => onChange(name, value)} />
  )
  return (
    <search className="tools-bar">
      <SearchField value={query.search ?? ''} onChange={(value) => onChange('search', value)} />
      {chip('status', 'Status', statuses)}
      {chip('agent', 'Agent', agents)}
      {chip('kind', 'Kind', kinds)}
      {chip('engine', 'Engine', engines)}
      {chip('flag', 'Flag', flags)}
      {chip('since', 'Changed', spans)}
      {chip('archived', 'Archived', archives)}
      {children}
    </search>
  )
}

/** Typing is never behind the address: the field keeps its own text, and follows the address when that changes elsewhere. */
const SearchField = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <label className="field list-search">
      <Icon name="search" size={14} />
      <span className="vh">Search sessions</span>
      <input
        id="session-search"
        type="search"
        placeholder="Search titles and ids"
        aria-keyshortcuts="/"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onChange(event.target.value)
        }}
      />
      <Kbd>/</Kbd>
    </label>
  )
}
