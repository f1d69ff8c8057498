import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { Kbd } from './kbd.tsx'

interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly look?: 'primary' | 'ghost' | 'no' | 'plain'
  readonly icon?: IconName
  /** The key that does the same, shown on the button. */
  readonly keyHint?: string
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
  readonly isLarge?: boolean
  readonly type?: 'button' | 'submit'
  /** The reason why the button is off, or more than its word says. */
  readonly title?: string
  /** A switch: on or off. */
  readonly isPressed?: boolean
}

export const Button = ({
  children,
  look = 'plain',
  icon,
  keyHint,
  isBusy = false,
  isDisabled = false,
  isLarge = false,
  type = 'button',
  onClick,
  title,
  isPressed,
}: ButtonProps) => (
  <button
    type={type}
    className={`btn${look === 'plain' ? '' : ` ${look}`}${isLarge ? ' lg' : ''}`}
    disabled={isDisabled || isBusy}
    aria-busy={isBusy || undefined}
    aria-pressed={isPressed}
    aria-keyshortcuts={keyHint}
    onClick={onClick}
    title={title}
  >
    {isBusy ? <Icon name="loader-circle" size={14} isSpinning /> : icon && <Icon name={icon} size={14} />}
    {children}
    {keyHint !== undefined && <Kbd>{keyHint}</Kbd>}
  </button>
)

/** A button of an icon alone. Its name is for screen readers and for the hover. */
export const IconButton = ({
  name,
  label,
  onClick,
  isPressed,
}: {
  readonly name: IconName
  readonly label: string
  readonly onClick: () => void
  readonly isPressed?: boolean
}) => (
  <button
    type="button"
    className="btn ghost icon"
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    onClick={onClick}
  >
    <Icon name={name} />
  </button>
)
