/** An email address, whatever the direction of the text around it. If it is too long for its line, it breaks before the “@”. */
export const Address = ({ of }: { readonly of: string }) => {
  const at = of.lastIndexOf("@");
  return (
    <bdi>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </bdi>
  );
};
