// The content of an element. Interfaces, since an alias must not name itself.

export type Plain = Node | string | number | boolean | null | undefined;
export interface ChildList extends ReadonlyArray<Child> {}
export interface ChildMaker {
  (): Child;
}
export type Child = Plain | ChildList | ChildMaker;
