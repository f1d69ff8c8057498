// Names and values in two columns. A fact that is not known is left out.
import type { ReactNode } from 'react'
import { visibleText } from '../../ui/plain-text.ts'

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

export const Facts = ({ facts }: FactsProps) => {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  if (known.length === 0) return null
  return (
    <dl className="kv">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? visibleText(value) : value}</dd>
        </div>
      ))}
    </dl>
  )
}
