import type { ComponentType, ReactNode } from 'react';

/** MenuItem is a choice in a menu. */
export interface MenuItem {
  text: ReactNode;
  onClick?: () => void;
  icon?: ComponentType<{ className?: string }>;
  chosen?: boolean;
  disabled?: boolean;
  /** why says what stands in the way, where it is disabled. */
  why?: string;
}
