import type { ReactNode } from 'react'

/** A box that scrolls when its content is long. It takes the focus, so that the keys scroll it too. */
export const ScrollBox = ({
  label,
  className,
  children,
}: {
  readonly label: string
  readonly className: string
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
  <div className={`scroll ${className}`} role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
