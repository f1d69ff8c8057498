// Tabs with the keys of the platform's pattern: arrows move, Home and End jump.
import type { KeyboardEvent, ReactNode } from 'react'

export interface Tab {
  readonly id: string
  readonly label: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly selected: string
  readonly onSelect: (id: string) => void
}

/** The panel beside them has the id `panel-<tab>` and `aria-labelledby="tab-<tab>"`. */
export const Tabs = ({ label, tabs, selected, onSelect }: TabsProps) => {
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === selected)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const next = to === undefined ? undefined : tabs.at(to % tabs.length)
    if (!next) return
    event.preventDefault()
    onSelect(next.id)
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === selected}
          aria-controls={`panel-${id}`}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
