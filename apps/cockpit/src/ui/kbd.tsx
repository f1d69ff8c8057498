import { Fragment } from 'react'

/** The caps of a key, or of keys that are pressed together (`Ctrl+Enter`). Screen readers hear the shortcut from the control itself. */
export const Kbd = ({ children }: { readonly children: string }) =>
  keysOf(children).map((key) => (
    <span key={key} className="kbd" aria-hidden="true">
      {capText(key)}
    </span>
  ))

/** Keys as the table of actions has them: also one after the other (`g i`). */
export const KeyCaps = ({ keys, isRead = false }: { readonly keys: string; readonly isRead?: boolean }) => (
  <span className="row key-caps" aria-hidden={isRead ? undefined : true}>
    {keys.split(' ').map((step, at) => (
      <Fragment key={step}>
        {at > 0 && <span className="t3 tiny">then</span>}
        {keysOf(step).map((key) => (
          <kbd key={key} className="kbd">
            {capText(key)}
          </kbd>
        ))}
      </Fragment>
    ))}
  </span>
)

/** Keys that are pressed together; `+` alone is a key itself. */
const keysOf = (text: string): readonly string[] => text.split(/(?<=.)\+/)

const caps: { readonly [key: string]: string } = {
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

const capText = (key: string): string => caps[key] ?? (key.length === 1 ? key.toUpperCase() : key)
